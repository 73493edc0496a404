package netfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fabricast/topology"
)

const infraDevices = `devices:
- name: server
  components:
  - {name: xpu, count: 2, choice: xpu}
  - {name: nic, count: 2, choice: nic}
  edges:
  - {ep1: {component: xpu}, ep2: {component: nic}, scheme: one2one, link: pcie}
- name: switch
  components:
  - {name: asic, count: 1, choice: cpu}
  - {name: asic2, choice: switch}
  - {name: port, count: 4, choice: port}
`

// TestInfraGraph reads the edges of two versions of the schema.
func TestInfraGraph(t *testing.T) {
	const edges = infraDevices + `instances:
- {name: host, device: server, count: 2}
- {name: leaf, device: switch, count: 2}
- {name: spine, device: switch}
links:
- {name: slow, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 100}, latency: {choice: ns, ns: 5}}}
- name: fast
edges:
- {ep1: {instance: host, component: "nic[0]"}, ep2: {instance: leaf, component: "port[0]"}, scheme: one2one, link: slow}
- {ep1: {instance: "host[0]", component: "nic[1:]"}, ep2: {instance: "leaf[1]", component: "port[1]"}, scheme: many2many, link: slow}
- {ep1: {instance: "leaf[0:2]", component: "port[2]"}, ep2: {instance: spine, component: "port[0:4:2]"}, scheme: one2one, link: fast}
annotations: [{x: 1}]
`
	n, problems := read(t, "x.yaml", edges)
	if problems != "" {
		t.Fatal(problems)
	}
	if s := n.Spec; !slices.Equal(s.Names, []string{"leaf.0", "leaf.1", "spine.0"}) || !slices.Equal(s.Hosts, []int{1, 2, 0}) ||
		!slices.Equal(s.Edges, []topology.Edge{{A: 0, B: 2}, {A: 1, B: 2}}) ||
		!slices.Equal(s.HostNames, []string{"host.0/nic.0", "host.1/nic.0", "host.0/nic.1"}) {
		t.Errorf("read %+v", s)
	}
	if c := n.Cable(n.Spec.HostClasses[0]); c.Label() != "12.5GBps 5ns" {
		t.Errorf("links of hosts are %s", c.Label())
	}
	if r := strings.Join(n.Reading.Ignored, "\n"); !strings.Contains(r, "annotations (1), links within devices (1)") {
		t.Errorf("ignored %q", r)
	}
	n, problems = read(t, "x.infragraph.yaml", `infrastructure:
  name: clos
  links:
  - name: eth
    bandwidth: {choice: giga_bytes_per_second, giga_bytes_per_second: 100}
  connections:
  - server.0.nic.0.eth.leaf.0.port.0
  - server.1.nic.0.eth.leaf.1.port.0
  - leaf.0.port.4.eth.spine.0.port.0
  - leaf.1.port.4.eth.spine.0.port.1
`)
	if problems != "" || !slices.Equal(n.Spec.Names, []string{"leaf.0", "leaf.1", "spine.0"}) ||
		!slices.Equal(n.Spec.HostNames, []string{"server.0/nic.0", "server.1/nic.0"}) || len(n.Spec.Edges) != 2 {
		t.Errorf("%s %+v", problems, n)
	}
}

// TestWrongInfraGraph refuses what the file does not define, with the place.
func TestWrongInfraGraph(t *testing.T) {
	f := func(instance, component, link, scheme, want string) {
		t.Helper()
		text := infraDevices + fmt.Sprintf("instances:\n- {name: leaf, device: switch, count: 2}\nlinks: [{name: eth}]\nedges:\n"+
			"- ep1: {instance: %q, component: %q}\n  ep2: {instance: leaf, component: port}\n  link: %s\n  scheme: %s\n",
			instance, component, link, scheme)
		if _, problems := read(t, "x.infragraph.yaml", text); !strings.Contains(problems, want) {
			t.Errorf("message lacks %q:\n%s", want, problems)
		}
	}
	f("leef", "port", "eth", "one2one", "x.infragraph.yaml:17:19: instance: found leef, expected the name of an instance")
	f("leaf[2]", "port", "eth", "one2one", "x.infragraph.yaml:17:19: index: found leaf[2], expected indices from 0 to 1")
	f("leaf", "prot", "eth", "one2one", "component: found prot, expected a component of device switch")
	f("leaf", "port[0:9]", "eth", "one2one", "index: found port[0:9], expected indices from 0 to 3")
	f("leaf", "port", "ether", "one2one", "x.infragraph.yaml:19:9: link: found ether")
	f("leaf", "port", "eth", "any", "x.infragraph.yaml:17:3: scheme: found any, expected one2one or many2many")
	if _, problems := read(t, "x.infragraph.yaml", infraDevices); !strings.Contains(problems, "edges: found none, expected edges between instances") {
		t.Error(problems)
	}
	if _, problems := read(t, "x.infragraph.yaml", "connections: [a.b.c]\n"); !strings.Contains(problems, "connection: found a.b.c, expected nine") {
		t.Error(problems)
	}
}
