package netfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast/internal/netfile"
	"fabricast/internal/units"
	"fabricast/topology"
)

const clusterFile = "../../examples/cluster/ibnetdiscover.txt"

// TestIBNetDiscover reads the example: every cable once, and the wrong one found.
func TestIBNetDiscover(t *testing.T) {
	n, problems := netfile.Read(clusterFile, 1)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := n.Spec
	if len(s.Names) != 12 || len(s.Edges) != 8*4*2 || len(s.HostNames) != 32 || s.HostNames[4] != "node005/mlx5_0" {
		t.Errorf("%d switches, %d links, hosts %q", len(s.Names), len(s.Edges), s.HostNames)
	}
	if rate := n.Cable(s.Edges[0].Class).Bandwidth; rate == nil || *rate != 25*units.GBPerSecond {
		t.Errorf("4xHDR is %v", rate)
	}
	found := n.Reading.Findings
	if len(found) != 1 || found[0].Kind != netfile.WrongCable ||
		!strings.Contains(found[0].Text, "switch leaf3 has links: 3 to spine1 and only 1 to spine2, where 2 to each is usual") {
		t.Errorf("findings %+v", found)
	}
	all := strings.Join(append(append(n.Reading.Understood, n.Reading.Guessed...), n.Reading.Ignored...), "\n")
	for _, want := range []string{"8 aggregation nodes", "of 4xHDR: 25GB/s", "names of 12 switches", "latencies", "devid (52)"} {
		if !strings.Contains(all, want) {
			t.Errorf("the reading lacks %q:\n%s", want, all)
		}
	}
}

// TestIBNetDiscoverRoundTrip writes what was read, and reads the same network again.
func TestIBNetDiscoverRoundTrip(t *testing.T) {
	n, _ := netfile.Read(clusterFile, 1)
	for _, f := range netfile.Formats() {
		if !f.Writes() || f.Name == "dot" || f.Loses() != "" && f.Name != "ibnetdiscover" {
			continue
		}
		top, err := n.Spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x"+f.Endings[0])
		var text strings.Builder
		if err := f.Write(&text, top, append(make([]netfile.Cable, 2), n.Cables...)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		again, problems := netfile.Read(path, 1)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", f.Name, problems)
		}
		if a, b := wiring(t, n), wiring(t, again); a != b {
			t.Errorf("%s: written\n%s\nread\n%s", f.Name, a, b)
		}
	}
}

// wiring describes the links of a network by names.
func wiring(t *testing.T, n *netfile.Network) string {
	t.Helper()
	top, err := n.Spec.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	g := top.Graph()
	for host := range g.Hosts {
		b.WriteString(top.(topology.Named).HostName(host) + " " + top.RouterName(g.HostRouter(host)) + " " +
			n.Cable(g.Ports[g.NICPort[host]].Link).Label() + "\n")
	}
	var links []string
	for _, e := range n.Spec.Edges {
		links = append(links, n.Spec.Names[min(e.A, e.B)]+" "+n.Spec.Names[max(e.A, e.B)]+" "+n.Cable(e.Class).Label())
	}
	slices.Sort(links)
	return b.String() + strings.Join(links, "\n")
}

// TestWrongIBNetDiscover refuses lines with their place, and reports what contradicts itself.
func TestWrongIBNetDiscover(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, problems := read(t, "x.txt", text); !strings.Contains(problems, want) {
			t.Errorf("%q: message lacks %q:\n%s", text, want, problems)
		}
	}
	const leaf = "Switch 36 \"S-1\" # \"leaf\" lid 1\n"
	f(leaf+"[1] \"H-2\"[1] # \"n1 HCA-1\" lid 4 4xWDR\n", "x.txt:2:1: speed: found 4xWDR, expected a width and a rate such as 4xNDR")
	f(leaf+"[1] H-2\n", "x.txt:2:1: port: found [1] H-2")
	f(leaf+"[1] \"S-2\"[1]\n[1] \"S-3\"[1]\n", "x.txt:3:1: port: found port 1 a second time")
	f(leaf+"rubbish here\n", "x.txt:2:1: record: found rubbish here")
	f(leaf+leaf, `x.txt:2:1: device: found "S-1" a second time`)
	f("vendid=0x2\n[1] \"S-2\"[1]\n", "x.txt:2:1: port: found [1]")
	n, problems := read(t, "x.txt", leaf+"[1] \"S-2\"[1]\n[2] \"H-3\"[1] # \"n1 HCA-1\" lid 3 4xSDR\n\nSwitch 36 \"S-2\" # \"two\" lid 2\n[1] \"S-1\"[9]\n")
	if problems != "" || len(n.Reading.Findings) == 0 || n.Reading.Findings[0].Kind != netfile.WrongCable {
		t.Errorf("%s %+v", problems, n)
	}
}

// TestUnlikeAdapters: the adapters of a node are hosts with links of their own rates.
func TestUnlikeAdapters(t *testing.T) {
	n, problems := read(t, "x", "Switch 40 \"S-a1\" # \"leaf1\" lid 1\n"+
		"[1] \"H-b1\"[1](b1) # \"node001 HCA-1\" lid 4 4xHDR\n[2] \"H-c1\"[1](c1) # \"node001 HCA-2\" lid 5 4xEDR\n"+
		"[3] \"H-d1\"[1](d1) # \"node002 HCA-1\" lid 6 2xHDR\n[4] \"H-d2\"[1](d2) # \"node002 HCA-2\" lid 7 4xEDR\n"+
		"[5] \"H-e1\"[1](e1) # \"node003 HCA-1\" lid 8 1xNDR\n")
	if problems != "" {
		t.Fatal(problems)
	}
	var got []string
	for host, class := range n.Spec.HostClasses {
		got = append(got, n.Spec.HostNames[host]+" "+n.Cable(class).Label())
	}
	want := []string{
		"node001/HCA-1 25GBps", "node001/HCA-2 12.5GBps", "node002/HCA-1 12.5GBps", "node002/HCA-2 12.5GBps",
		"node003/HCA-1 12.5GBps",
	}
	if !slices.Equal(got, want) {
		t.Errorf("hosts %q, want %q", got, want)
	}
	const said = "2 nodes with several adapters, with unlike links at 1 node: "
	if !slices.ContainsFunc(n.Reading.Understood, func(s string) bool { return strings.HasPrefix(s, said) }) {
		t.Errorf("understood %q, want %q", n.Reading.Understood, said)
	}
}

// TestCutShort: a file whose last records are missing is read, and said to be incomplete, as the records
// of devices to which the others have cables are missing. One without any record of an adapter is not.
func TestCutShort(t *testing.T) {
	data, err := os.ReadFile(clusterFile)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(data)
	f := func(name, text, want string) {
		t.Helper()
		n, problems := read(t, "x.ibnetdiscover", text)
		if problems != "" {
			t.Fatal(name, problems)
		}
		got := ""
		for _, finding := range n.Reading.Findings {
			if finding.Kind == netfile.Incomplete {
				got = finding.Text[:strings.Index(finding.Text, ",")]
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	adapters := strings.Index(whole, "\nCa\t")
	f("whole", whole, "")
	f("one adapter's record less", whole[:strings.LastIndex(whole, "\nvendid=")], "no record of 1 device")
	f("no records of adapters", whole[:strings.LastIndex(whole[:adapters], "\nvendid=")], "")
	f("the first switch alone", whole[:strings.Index(whole, `Switch	65 "S-0c0ffee000000140"`)], "no record of 9 devices")
}
