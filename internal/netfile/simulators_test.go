package netfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fabricast/internal/netfile"
	"fabricast/internal/units"
)

const htsimSample = `# a small tree
Nodes 8
tiers 3
Podsize 4

Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 4
Queue_Up 20000
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 200
Bundle 2
Radix_Down 4
Radix_Up 2
Switch_Latency_ns 300
Tier 2
Radix_Down 2
Oversubscribed 1
`

// TestHtsim reads a fat tree of three tiers with parallel links.
func TestHtsim(t *testing.T) {
	n, problems := read(t, "x.txt", htsimSample)
	if problems != "" {
		t.Fatal(problems)
	}
	var got []string
	for _, e := range n.Spec.Edges {
		got = append(got, n.Spec.Names[e.A]+"-"+n.Spec.Names[e.B]+" "+n.Cable(e.Class).Label())
	}
	want := []string{"US_0-LS_0 25GBps", "US_0-LS_0 25GBps", "US_0-LS_1 25GBps", "US_0-LS_1 25GBps"}
	core := []string{
		"CS_0-US_0 12.5GBps", "CS_2-US_0 12.5GBps", "CS_1-US_1 12.5GBps",
		"CS_3-US_1 12.5GBps",
	}
	for _, link := range append(want, core...) {
		if !slices.Contains(got, link) {
			t.Errorf("no link %s in %q", link, got)
		}
	}
	if len(got) != 4*4+4*2 || n.Reading.Format != "htsim" ||
		!slices.Equal(n.Spec.HostNames[:3], []string{"SRC_0", "SRC_1", "SRC_2"}) {
		t.Errorf("%d links, %s, hosts %q", len(got), n.Reading.Format, n.Spec.HostNames)
	}
	host := n.Cable(n.Spec.HostClasses[0])
	if *host.Bandwidth != 12_500*units.MBPerSecond || *host.Latency != units.Microsecond {
		t.Errorf("host links %s", host.Label())
	}
	ignored := strings.Join(n.Reading.Ignored, "; ")
	for _, want := range []string{"sizes of queues (1)", "latencies of switches", "Oversubscribed"} {
		if !strings.Contains(ignored, want) {
			t.Errorf("%q lacks %q", ignored, want)
		}
	}
}

// TestWrongHtsim refuses trees whose numbers do not fit together.
func TestWrongHtsim(t *testing.T) {
	for _, wrong := range []struct{ old, now, want string }{
		{"Podsize 4", "Podsize 3", "x.txt:4:1: podsize: found 3, expected a divisor of the 8 nodes"},
		{"Radix_Up 4", "Radix_Up 3", "radix_up: found 3, expected a multiple of the bundle of tier 1, 2"},
		{
			"Radix_Down 4", "Radix_Down 6",
			"x.txt:15:1: radix_down: found 6, expected 4: links to each of 2 switches of tier 0",
		},
		{"Bundle 2\n", "Bundles 2\n", "x.txt:14:1: line: found Bundles"},
		{"Tier 2\nRadix_Down 2\nOversubscribed 1\n", "", "tier 2: found nothing"},
		{"Queue_Up 20000", "Queue_Up many", "x.txt:10:10: queue_up: found many"},
	} {
		if _, problems := read(t, "x.txt",
			strings.Replace(htsimSample, wrong.old, wrong.now, 1)); !strings.Contains(problems, wrong.want) {
			t.Errorf("%s: message lacks %q:\n%s", wrong.now, wrong.want, problems)
		}
	}
}

// TestNS3 reads a topology of HPCC, where the first node is a switch.
func TestNS3(t *testing.T) {
	n, problems := read(t, "x.txt", "5 2 4\n0 3 \n0 2 100Gbps 1000ns 0\n3 0 400Gbps 0.001ms 0.000000\n4 3 25Gbps 2us 0.1\n0 1 100Gbps 1000ns 0\n")
	if problems != "" || n.Reading.Format != "ns3" {
		t.Fatal(problems)
	}
	s := n.Spec
	if len(s.Edges) != 1 || n.Cable(s.Edges[0].Class).Label() != "50GBps 1us" ||
		!slices.Equal(s.HostNames, []string{"1", "2", "4"}) ||
		!slices.Equal(s.Names, []string{"0", "3"}) ||
		n.Cable(s.HostClasses[2]).Label() != "3125MBps 2us" {
		t.Errorf("%+v, host link %s", s, n.Cable(s.HostClasses[2]).Label())
	}
	all := strings.Join(append(n.Reading.Guessed, n.Reading.Ignored...), "; ")
	for _, want := range []string{"host 0 is node 1", "the rate of errors of 1 link"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q lacks %q", all, want)
		}
	}
}

// TestSimAI reads a server with GPUs that an NVSwitch and two switches join.
func TestSimAI(t *testing.T) {
	n, problems := read(t, "x.txt", "5 2 1 2 4 H100\n2 3 4\n0 2 2400Gbps 25ns 0\n1 2 2400Gbps 25ns 0\n0 3 400Gbps 0.5us 0\n1 4 400Gbps 0.5us 0\n")
	if problems != "" {
		t.Fatal(problems)
	}
	s := n.Spec
	if !slices.Equal(s.Names, []string{"0", "1", "2", "3", "4"}) ||
		!slices.Equal(s.Hosts, []int{1, 1, 0, 0, 0}) ||
		len(s.Edges) != 4 || n.Cable(s.HostClasses[0]).Label() != "350GBps" {
		t.Errorf("%+v, host link %s", s, n.Cable(s.HostClasses[0]).Label())
	}
	all := strings.Join(append(n.Reading.Guessed, n.Reading.Understood...), "; ")
	for _, want := range []string{"2 nodes with several links", "servers with 2 GPUs of kind H100", "1 NVSwitch, and 2 switches"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q lacks %q", all, want)
		}
	}
}

// TestSortsOfSwitches: NVSwitches are not compared with the other switches next to GPUs.
func TestSortsOfSwitches(t *testing.T) {
	text := "14 2 4 2 20 H100\n8 9 10 11 12 13\n"
	for gpu := range 8 {
		text += fmt.Sprintf("%d %d 2880Gbps 25ns 0\n%[1]d 12 400Gbps 500ns 0\n", gpu, 8+gpu/2)
	}
	n, problems := read(t, "x.txt", text+strings.Repeat("12 13 400Gbps 500ns 0\n", 4))
	if problems != "" || len(n.Reading.Findings) > 0 {
		t.Errorf("%s findings %v", problems, n.Reading.Findings)
	}
}

// TestSurplus: ns-3 reads as many links as the head says, whatever follows.
func TestSurplus(t *testing.T) {
	n, problems := read(t, "x.txt", "3 1 1\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n")
	if problems != "" {
		t.Fatal(problems)
	}
	f := n.Reading.Findings
	if !slices.Equal(n.Spec.HostNames, []string{"1"}) || len(f) == 0 || f[0].Kind != netfile.Surplus || f[0].Line != 4 {
		t.Errorf("hosts %q, findings %v", n.Spec.HostNames, f)
	}
}

// TestWrongNS3 refuses words with their place.
func TestWrongNS3(t *testing.T) {
	for text, want := range map[string]string{
		"3 1 2\n0\n0 1 100Gbps 1000ns 0\n": "x.txt:3:20: link: found the end of the file",
		"3 1 1\n0\n0 3 100Gbps 1000ns 0\n": "x.txt:3:3: link: found 3, expected a number from 0 to 2",
		"0 0 1\n0\n0 1 100Gbps 1us 0\n":    "x.txt:1:1: nodes: found 0, expected a number from 1 to ",
		"3 1 1\n0\n0 1 100Gbps fast 0\n":   "x.txt:3:13: latency: found fast",
		"3 1 1\n0\n0 1 100Gbps 1us 2\n":    "x.txt:3:17: rate of errors: found 2",
		"3 2 1\n0 0\n0 1 100Gbps 1us 0\n":  "x.txt:2:3: switch: found 0 a second time",
	} {
		if _, problems := read(t, "x.txt", text); !strings.Contains(problems, want) {
			t.Errorf("%q: message lacks %q:\n%s", text, want, problems)
		}
	}
}

// TestWriteNS3 writes hosts before switches, with the rate and delay of each link.
func TestWriteNS3(t *testing.T) {
	n, problems := read(t, "x", "router a\nrouter b 0\nhost n1/x a 12.5GB/s 5ns\na b 400Mb/s 1us\n")
	if problems != "" {
		t.Fatal(problems)
	}
	top, err := n.Spec.Build(2)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	cables := append(make([]netfile.Cable, 2), n.Cables...)
	if err := netfile.FindFormat("ns3").Write(&text, top, cables); err != nil {
		t.Fatal(err)
	}
	const want = "3 2 3\n1 2 \n0 1 100Gbps 5ns 0\n0 1 100Gbps 5ns 0\n1 2 0.4Gbps 1000ns 0\n"
	if text.String() != want {
		t.Errorf("wrote %q, want %q", text.String(), want)
	}
}

// TestNothingInSilence: what is not read of the fields of a file is named.
func TestNothingInSilence(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{
			"x.lldp.json", `{"a": {"more": 1, "lldp": {"mode": 1, "interface": [{"e1": {"via": "LLDP", "age": 2,
			"chassis": {"b": {"descr": "x"}}, "port": {"ttl": 3, "id": {"type": "ifname", "value": "e2"}}}}]}}}`,
			"age (1), chassis descr (1), mode (1), more (1), port ttl (1), via (1)",
		},
		{"x.lldp.json", `{"lldp": {"interfaces": []}}`, "interfaces (1)"},
		{
			"x.infragraph.yaml", infraDevices + "instances: [{name: a, device: server, color: 1}, {name: b, device: switch}]\n" +
				"links: [{name: l, physical: {latency: {fortnights: 1}, length: 2}}]\nedges:\n" +
				"- {ep1: {instance: a, component: nic}, ep2: {instance: b, component: \"port[0:2]\"}, scheme: one2one, link: l, schema: 1}\n",
			"edge schema (1), instance color (1), latency in fortnights (1), link length (1), links within devices (1)",
		},
		{"x.node-link.json", `{"graph": {"name": "g"}, "nodes": [{"id": 1}], "links": []}`, "graph.name (1)"},
	} {
		n, problems := read(t, x.name, x.text)
		if problems != "" {
			t.Error(problems)
		} else if got := strings.Join(n.Reading.Ignored, "; "); !strings.Contains(got, x.want) {
			t.Errorf("%s: ignored %q, want %q", x.name, got, x.want)
		}
	}
}
