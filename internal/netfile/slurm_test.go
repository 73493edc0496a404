package netfile_test

import (
	"slices"
	"strings"
	"testing"

	"fabricast/internal/netfile"
	"fabricast/topology"
)

// TestSlurm reads a tree and blocks of Slurm.
func TestSlurm(t *testing.T) {
	if _, problems := read(t, "topology.conf", "SwitchName=leaf[1] Nodes=n[01-02]\n"); problems == "" {
		t.Error("a list of switches is taken for a name")
	}
	n, problems := read(t, "x", "SwitchName=leaf1 Nodes=n[01-02] LinkSpeed=100\nSwitchName=leaf2 \\\n Nodes=n[03-05]\nSwitchName=top Switches=leaf[1-2]\n")
	if problems != "" {
		t.Fatal(problems)
	}
	want := []topology.Edge{{A: 2, B: 0}, {A: 2, B: 1}}
	if s := n.Spec; !slices.Equal(s.Names, []string{"leaf1", "leaf2", "top"}) || !slices.Equal(s.Hosts, []int{2, 3, 0}) ||
		!slices.Equal(s.Edges, want) || !slices.Equal(s.HostNames, []string{"n01", "n02", "n03", "n04", "n05"}) {
		t.Errorf("read %+v", s)
	}
	if !strings.Contains(strings.Join(n.Reading.Ignored, ""), "LinkSpeed (1)") {
		t.Errorf("ignored %q", n.Reading.Ignored)
	}
	n, problems = read(t, "x", "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2,4\n")
	if problems != "" || len(n.Spec.Names) != 3 || len(n.Spec.Edges) != 2 {
		t.Fatalf("%s %+v", problems, n)
	}
	if hosts, wrong, _ := n.HostsOf("n[4,1]"); wrong != "" || !slices.Equal(hosts, []int32{3, 0}) {
		t.Errorf("hosts %v, wrong %q", hosts, wrong)
	}
	if _, wrong, _ := n.HostsOf("n[1-9]"); wrong != "n5 and 4 more of the 9" {
		t.Errorf("wrong %q", wrong)
	}
	_, problems = read(t, "x", "SwitchName=a Nodes=n1,\n")
	if !strings.Contains(problems, `found n1,, expected names`) {
		t.Errorf("an empty name: %q", problems)
	}
	_, problems = read(t, "x", "SwitchName=a Nodes=n[1\n")
	if !strings.Contains(problems, "x:1:14: names: found n[1") {
		t.Error(problems)
	}
}

// TestWrongSlurm: records that contradict each other are mistakes, and a switch without anything below it is
// a finding, as in a file whose end is missing.
func TestWrongSlurm(t *testing.T) {
	const two = "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\n"
	for text, want := range map[string]string{
		two + "SwitchName=s0 Nodes=n8\n":        "x:3:1: name: found s0 a second time, expected one record of each switch or block (the first is in line 1)",
		two + "SwitchName=t Switches=s[0-2]\n":  "x:3:14: names: found s2, expected the name of a switch with a record of its own",
		two + "SwitchName=t Switches=s0,t\n":    "x:3:14: names: found t, which is this switch itself",
		two + "SwitchName=n1 Switches=s[0-1]\n": "x:3:1: name: found n1, expected a name that is either a switch's or a node's",
	} {
		if _, problems := read(t, "x", text); !strings.Contains(problems, want) {
			t.Errorf("%q: message lacks %q:\n%s", text, want, problems)
		}
	}
	n, problems := read(t, "topology.yaml", "- topology: a\n  tree:\n    switches:\n"+
		"      - switch: t\n        children: s[1-2]\n      - switch: s1\n        nodes: n1\n      - switch: s2\n")
	if problems != "" {
		t.Fatal(problems)
	}
	if f := n.Reading.Findings; len(f) != 1 || f[0].Kind != netfile.EmptySwitch || f[0].Line != 8 {
		t.Errorf("findings %+v", f)
	}
}

// TestSlurmYAML reads the same networks from topology.yaml as from topology.conf.
func TestSlurmYAML(t *testing.T) {
	f := func(yaml, conf string) {
		t.Helper()
		a, problems := read(t, "topology.yaml", yaml)
		if problems != "" {
			t.Fatal(problems)
		}
		b, problems := read(t, "topology.conf", conf)
		if problems != "" {
			t.Fatal(problems)
		}
		if x, y := wiring(t, a), wiring(t, b); x != y {
			t.Errorf("topology.yaml:\n%s\ntopology.conf:\n%s", x, y)
		}
	}
	f(`---
- topology: flat1
  flat: true
- topology: tree1
  cluster_default: true
  tree:
    switches:
      - switch: top
        children: s[1-2]
      - switch: s1
        nodes: node[01-02]
      - switch: s2
        nodes: node03,node04
- topology: other
  block: {}
- topology: around
  ring: {}
- topology: cube
  torus3d: {}
`, "SwitchName=top Switches=s[1-2]\nSwitchName=s1 Nodes=node[01-02]\nSwitchName=s2 Nodes=node[03-04]\n")
	f(`- topology: t
  block:
    block_sizes: [2, 4]
    blocks:
    - {block: b1, nodes: "n[1-2]"}
    - {block: b2, nodes: "n[3-4]"}
`, "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2,4\n")
	n, _ := read(t, "x.yaml", "- topology: a\n  tree: {switches: [{switch: s, nodes: n1, speed: 2}]}\n- topology: b\n  flat: true\n")
	if r := strings.Join(n.Reading.Ignored, "\n"); n.Reading.Format != "slurm-yaml" || !strings.Contains(r, "1 further topology: b") ||
		!strings.Contains(r, "speed (1)") {
		t.Errorf("%+v", n.Reading)
	}
	for text, want := range map[string]string{
		"- topology: a\n  flat: true\n":                           "topology: found no tree and no blocks",
		"- topology: a\n  tree: {}\n":                             "topology.yaml:2:9: switch: found no list",
		"- topology: a\n  tree:\n    switches:\n    - nodes: n\n": "topology.yaml:4:7: switch: found an entry without it",
		"a: 1\n": "found no list",
		"- topology: a\n  ring: {}\n  cluster_default: true\n": "topology.yaml:1:3: topology: found a default of the cluster that is a ring or a torus",
		"- topology: a\n  x: 1\n":                              "neither tree, block nor flat",
	} {
		if _, problems := read(t, "topology.yaml", text); !strings.Contains(problems, want) {
			t.Errorf("%q: message lacks %q:\n%s", text, want, problems)
		}
	}
}
