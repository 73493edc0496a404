package netfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// lldpCable is a cable of a network from which what LLDP knows is written.
type lldpCable struct{ a, b, portA, portB string }

// lldpOf writes what a device knows of its neighbours, in the form json or json0.
func lldpOf(own string, cables []lldpCable, json0, macs bool) string {
	var list []string
	for _, c := range cables {
		if c.b == own {
			c = lldpCable{c.b, c.a, c.portB, c.portA}
		}
		if c.a != own {
			continue
		}
		id := fmt.Sprintf(`{"type": "ifname", "value": %q}`, c.portB)
		if macs {
			id = fmt.Sprintf(`{"type": "mac", "value": "00:00:00:00:00:01"}, "descr": %q`, c.portB)
		}
		role := "Bridge"
		if strings.HasPrefix(c.b, "n") {
			role = "Station"
		}
		capability := fmt.Sprintf(`[{"type": %q, "enabled": true}, {"type": "Wlan", "enabled": false}]`, role)
		if json0 {
			id = strings.Replace("["+id+"]", "}, ", "}], ", 1)
			if id = strings.TrimSuffix(id, "]"); !macs {
				id += "]"
			}
			list = append(list, fmt.Sprintf(`{"name": %q, "via": "LLDP", "chassis": [{"name": [{"value": %q}], "capability": %s}],
 "port": [{"id": %s, "ttl": [{"value": "120"}]}]}`, c.portA, c.b, capability, id))
		} else {
			list = append(list, fmt.Sprintf(`{%q: {"via": "LLDP", "chassis": {%q: {"id": {"type": "mac"}, "capability": %s}},
 "port": {"id": %s, "ttl": "120"}}}`, c.portA, c.b, capability, id))
		}
	}
	object := `{"interface": [` + strings.Join(list, ",\n") + "]}"
	if json0 {
		object = "[" + object + "]"
	}
	return `{"lldp": ` + object + "}"
}

// TestLLDP: every cable is found once, whichever of its ends are in the file, and in both forms of lldpctl.
func TestLLDP(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		switches := rapid.IntRange(2, 4).Draw(rt, "switches")
		var cables []lldpCable
		port := 0
		want := map[string]int{}
		for b := 1; b < switches; b++ {
			for range rapid.IntRange(1, 3).Draw(rt, "parallel") {
				port++
				cables = append(cables, lldpCable{"s0", fmt.Sprint("s", b), fmt.Sprint("Ethernet", port), fmt.Sprint("swp", port)})
				want[fmt.Sprint("s0 s", b)]++
			}
		}
		hosts := rapid.IntRange(1, 4).Draw(rt, "hosts")
		for h := range hosts {
			port++
			cables = append(cables, lldpCable{fmt.Sprint("s", h%switches), fmt.Sprint("n", h), fmt.Sprint("Ethernet", port), "eth2"})
		}
		json0, macs := rapid.Bool().Draw(rt, "json0"), rapid.Bool().Draw(rt, "macs")
		var devices []string
		for s := range switches {
			devices = append(devices, fmt.Sprint("s", s))
		}
		if rapid.Bool().Draw(rt, "hosts too") {
			for h := range hosts {
				devices = append(devices, fmt.Sprint("n", h))
			}
		}
		var objects []string
		for _, d := range devices {
			objects = append(objects, fmt.Sprintf("%q: %s", d, lldpOf(d, cables, json0, macs)))
		}
		text := "{" + strings.Join(objects, ",\n") + "}"
		n, problems := read(t, "x.json", text)
		if problems != "" {
			rt.Fatalf("%s\n%s", text, problems)
		}
		got := map[string]int{}
		for _, e := range n.Spec.Edges {
			ends := []string{n.Spec.Names[e.A], n.Spec.Names[e.B]}
			slices.Sort(ends)
			got[strings.Join(ends, " ")]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || n.Spec.Size().Hosts != hosts || len(n.Spec.Names) != switches ||
			!strings.HasPrefix(n.Spec.HostNames[0], "n0/eth2") {
			rt.Fatalf("%s\nlinks %v, want %v; hosts %q", text, got, want, n.Spec.HostNames)
		}
		if n.Reading.Format != "lldp" || len(n.Reading.Findings) > 0 && n.Reading.Findings[0].Kind == "one-sided record" {
			rt.Fatalf("%s\n%+v", text, n.Reading)
		}
	})
}

// TestOneDeviceOfLLDP: the output of a single device is a star, management interfaces are ignored, and what is
// seen by one end only is reported.
func TestOneDeviceOfLLDP(t *testing.T) {
	n, problems := read(t, "leaf1.json", lldpOf("leaf1", []lldpCable{
		{"leaf1", "n1", "Ethernet0", "eth0"}, {"leaf1", "spine1", "Ethernet4", "swp1"}, {"leaf1", "oob", "mgmt0", "1"},
	}, false, false))
	if problems != "" || !slices.Equal(n.Spec.Names, []string{"leaf1", "spine1"}) || !slices.Equal(n.Spec.HostNames, []string{"n1/eth0"}) {
		t.Fatalf("%s %+v", problems, n)
	}
	if r := strings.Join(append(n.Reading.Ignored, n.Reading.Guessed...), "\n"); !strings.Contains(r, "interfaces for management (1)") ||
		!strings.Contains(r, "is called leaf1") {
		t.Error(r)
	}
	cables := []lldpCable{{"s1", "s2", "swp1", "swp1"}, {"s1", "n1", "swp9", "eth0"}}
	n, problems = read(t, "x.json", fmt.Sprintf(`{"s1": %s, "s2": {"lldp": {}}}`, lldpOf("s1", cables, false, false)))
	if problems != "" || len(n.Reading.Findings) == 0 || n.Reading.Findings[0].Kind != "one-sided record" {
		t.Errorf("%s %+v", problems, n)
	}
	_, problems = read(t, "x.lldp.json", "{\"s1\":\n {}}")
	if !strings.Contains(problems, `x.lldp.json:1:2: s1: found no object "lldp"`) {
		t.Error(problems)
	}
	_, problems = read(t, "x.lldp.json", "{\"lldp\": {\"interface\":\n [{\"e1\": {\"port\": {}}}]}}")
	if !strings.Contains(problems, "x.lldp.json:2:10: interface e1: found an interface without chassis and port") {
		t.Error(problems)
	}
}
