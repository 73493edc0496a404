package netfile_test

import (
	"slices"
	"strings"
	"testing"

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
	if _, wrong, _ := n.HostsOf("n[1-9]"); wrong != "n5" {
		t.Errorf("wrong %q", wrong)
	}
	_, problems = read(t, "x", "SwitchName=a Nodes=n[1\n")
	if !strings.Contains(problems, "x:1:14: names: found n[1") {
		t.Error(problems)
	}
}
