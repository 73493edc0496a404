package netfile_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/netfile"
	"fabricast/internal/units"
	"fabricast/topology"
)

func read(t *testing.T, name, text string) (*netfile.Network, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n, problems := netfile.Read(path, 1)
	return n, strings.ReplaceAll(problems.Error(), filepath.Dir(path)+"/", "")
}

func TestEdges(t *testing.T) {
	n, problems := read(t, "x", "# two leaves\nrouter a 3\nrouter b\nrouter c\na\tb 8GB/s 50ns # fast\r\nb c 5ns\nc a\nc a\n")
	if problems != "" {
		t.Fatal(problems)
	}
	want := []topology.Edge{{A: 0, B: 1, Class: 2}, {A: 1, B: 2, Class: 3}, {A: 2, B: 0}, {A: 2, B: 0}}
	if s := n.Spec; !slices.Equal(s.Names, []string{"a", "b", "c"}) ||
		!slices.Equal(s.Hosts, []int{3, 1, 1}) ||
		!slices.Equal(s.Edges, want) {
		t.Errorf("read %+v", s)
	}
	if c := n.Cables; len(c) != 2 || *c[0].Bandwidth != 8e9 || *c[0].Latency != 50_000 ||
		c[1].Bandwidth != nil ||
		*c[1].Latency != 5000 {
		t.Errorf("cables %+v", n.Cables)
	}
	if n, _ = read(t, "x", "10 2\n2 0\n"); !slices.Equal(n.Spec.Names, []string{"0", "2", "10"}) ||
		n.Spec.Edges[0] != (topology.Edge{A: 2, B: 1}) {
		t.Errorf("numbers are read as %+v", n.Spec)
	}
}

// TestHosts: links of hosts are read in either format, those of several groups at one router, too.
func TestHosts(t *testing.T) {
	f := func(name, text string) {
		t.Helper()
		n, problems := read(t, name, text)
		if problems != "" {
			t.Fatal(problems)
		}
		s := n.Spec
		var links []string
		for _, class := range s.HostClasses {
			link := "host"
			if class > topology.LinkHost {
				link = s.Classes[class-2]
			}
			links = append(links, link)
		}
		want := []string{"host/8GBps 30ns", "host/8GBps 30ns", "host/1GBps", "host", "host/5ns", "host"}
		if !slices.Equal(s.Hosts, []int{4, 1, 0, 1}) || !slices.Equal(links, want) {
			t.Errorf("hosts %v with links %q, want %q", s.Hosts, links, want)
		}
		if c := n.Cables[s.HostClasses[0]-2]; *c.Bandwidth != 8e9 || *c.Latency != 30_000 {
			t.Errorf("the first cable is %s", c.Label())
		}
	}
	f("x", "router a 2 30ns 8GB/s 1 1GB/s 1\nrouter b 1 5ns\nrouter c 0\nrouter d\na b\nb c\nc d\n")
	f("x.graphml", `<graphml><key id="h" for="node" attr.name="hosts"/><graph edgedefault="undirected">
<node id="a"><data key="h">2 8GB/s 30ns 1 1GB/s 1</data></node><node id="b"><data key="h">1 5ns</data></node>
<node id="c"><data key="h">0</data></node><node id="d"/>
<edge source="a" target="b"/><edge source="b" target="c"/><edge source="c" target="d"/></graph></graphml>`)
	n, problems := read(t, "x", "3 1\n1 2\nrouter 3 1 1GB/s\nrouter 2 2\nrouter 1 0\n")
	if problems != "" || !slices.Equal(n.Spec.HostClasses, []uint16{2, 1, 1}) {
		t.Errorf("%+v %s", n, problems)
	}
}

func TestGraphML(t *testing.T) {
	n, problems := read(t, "x.graphml", `<?xml version="1.0"?>
<graphml><key id="d0" for="node" attr.name="hosts" attr.type="int"><default>2</default></key>
<key id="d1" for="edge" attr.name="latency"/><key id="d2" for="all" attr.name="label"/>
<graph edgedefault="undirected">
<node id="n0"><data key="d2">Zürich &amp; Bern</data></node>
<node id="n1"><data key="d0">0</data></node>
<edge source="n0" target="n1"><data key="d1"> 3us </data></edge>
</graph></graphml>`)
	if problems != "" {
		t.Fatal(problems)
	}
	if s := n.Spec; !slices.Equal(s.Names, []string{"Zürich & Bern", "n1"}) ||
		!slices.Equal(s.Hosts, []int{2, 0}) ||
		len(s.Edges) != 1 ||
		*n.Cables[0].Latency != 3_000_000 {
		t.Errorf("read %+v", s)
	}
}

// TestClasses demands that files keep the classes of links. Unlike links of one
// class are parts of it.
func TestClasses(t *testing.T) {
	f := func(name, text string) {
		t.Helper()
		n, problems := read(t, name, text)
		if problems != "" {
			t.Fatal(problems)
		}
		var got []string
		for _, e := range n.Spec.Edges {
			name := "link"
			if e.Class > topology.LinkHost {
				name = n.Spec.Classes[e.Class-2]
			}
			got = append(got, name)
		}
		if want := []string{"local", "local", "global/8GBps", "global/1GBps", "global", "8GBps", "link"}; !slices.Equal(
			got,
			want,
		) {
			t.Errorf("classes %q, want %q", got, want)
		}
	}
	f(
		"x.graphml",
		`<graphml><key id="c" for="edge" attr.name="class"/><key id="b" for="edge" attr.name="bandwidth"/>
<graph edgedefault="undirected"><node id="a"/><node id="b"/>
<edge source="a" target="b" directed="false"><data key="c">local</data><data key="b">8GB/s</data></edge>
<edge source="a" target="b"><data key="c">local</data><data key="b">8GB/s</data></edge>
<edge source="a" target="b"><data key="c">global</data><data key="b">8GB/s</data></edge>
<edge source="a" target="b"><data key="c">global</data><data key="b">1GB/s</data></edge>
<edge source="a" target="b"><data key="c">global</data></edge>
<edge source="a" target="b"><data key="b">8GB/s</data></edge>
<edge source="a" target="b"/>
</graph></graphml>`,
	)
	f("x.edges", `a b 8GB/s class=local
a b class=local 8GB/s
a b 8GB/s class=global
a b 1GB/s class=global
a b class=global
a b 8GB/s
a b class=link
`)
}

func TestProblems(t *testing.T) {
	f := func(name, text string, want ...string) {
		t.Helper()
		_, problems := read(t, name, text)
		for _, w := range want {
			if !strings.Contains(problems, w) {
				t.Errorf("%q: message lacks %q:\n%s", text, w, problems)
			}
		}
	}
	f("x", "", "x:1:1: found no routers")
	f("x.json", "[{\"a\": 1}]", "x.json:1:1: found JSON that is no network, expected a format that 'fabricast network formats' lists")
	f("x", "graph [\n  node [\n", "x:1:1: found GML, expected")
	f("x", "graph {\n a -- b;\n}", "x:1:1: found Graphviz, expected")
	f("x.yaml", "device:\n  - name: x\n", "edges: found none")
	f("x.yaml", "name: x\nhosts:\n  - a\n", "x.yaml:1:1: link: found")
	f("x", "a\n", "x:1:1: link: found 1 word, expected two routers")
	f("x", "router a 2 8GB/s 4Gb\n", "x:1:18: latency: found 4Gb, expected a time such as 100ns beside the bandwidth")
	f("x", "router a 2 0B/s 1 -3\n", "x:1:12: bandwidth: found 0B/s", "x:1:19: hosts: found -3")
	f("x", "router a 60000000 1ns 60000000 2ns\n", "at most 67108864 hosts in all")
	f("x", "a b class=host/0\n", "x:1:5: class: found class=host/0, expected one name of a class other than host")
	f("x.graphml", `<graphml><key id="h" for="node" attr.name="hosts"/><graph>
<node id="a"><data key="h">1 fast</data></node></graph></graphml>`, "bandwidth: found fast")
	f("x", "a b 1GB/s 1ns 1ns\n", "x:1:1: link: found 5 words")
	f("x", "a b 0B/s 1ns", "x:1:5: bandwidth: found 0B/s, expected a rate above 0")
	f(
		"x",
		"router\nrouter a -1\n",
		"x:1:1: router: found nothing",
		"x:2:10: hosts: found -1, expected a number of hosts",
	)
	f(
		"x",
		"router a 2\nrouter a 5\na b\n",
		"x:2:8: router: found router a a second time, expected one line for each router (the first is line 1)",
	)
	f(
		"x",
		"router a 100000000\na b\n",
		"x:1:10: hosts: found 100000000, expected a number of hosts, up to 67108864",
	)
	f(
		"x",
		"router a 67108864\nrouter b 1\na b\n",
		"x:1:1: hosts: found 67108865, expected at most 67108864 hosts in all",
	)
	f(
		"x.graphml",
		"<graphml><graph edgedefault='x'><node id='a'/><node id='b'/>\n<edge source='a' target='b'/></graph></graphml>",
		"x.graphml:1:",
		"edgedefault: found x, expected undirected, or directed",
	)
	f(
		"x.graphml",
		"<graphml><key id='k' attr.name='class'/><graph><node id='a'/><node id='b'/><edge source='a' target='b'><data key='k'>host</data></edge></graph></graphml>",
		"class: found host, expected another name",
	)
	f("x", "a b class=host", "x:1:5: class: found class=host, expected one name of a class other than host")
	f("x", "a b class=x class=y", "x:1:13: class: found class=y")
	f("x", "a b class=", "x:1:5: class: found class=")
	f("x", "ä ä\n", "x:1:1: link: found a link from ä to itself")
	f(
		"x.graphml",
		"<graphml><graph edgedefault='undirected'><node id='a'/><node id='a'/></graph></graphml>",
		`node "a" a second time`,
	)
	f(
		"x.graphml",
		"<graphml><key id='k' attr.name='name'/><graph><node id='a'><data key='k'>s</data></node>\n<node id='b'><data key='k'>s</data></node></graph></graphml>",
		"x.graphml:2:",
		`name: found "s" a second time, expected a name of its own for each node (it is that of node "a" too`,
	)
	f("x.graphml", "<graphml><graph", "expected well-formed GraphML")
	f("x.graphml", "<graphml><graph/><graph/></graphml>", "found a second graph")
	f(
		"x.graphml",
		"<graphml><key id='k' attr.name='bandwidth'/><graph><node id='a'/><node id='b'/>\n<edge source='a' target='b'><data key='k'>5</data></edge></graph></graphml>",
		"x.graphml:2:",
		"bandwidth: found 5, expected a rate such as 8GB/s (the unit is missing)",
	)
}

// FuzzRead demands of any text either a network that can be built or problems.
func FuzzRead(f *testing.F) {
	f.Add("router a 3\nrouter b\na b 8GB/s 50ns # fast\n", false)
	f.Add("0 1\n1 2 5ns\n", false)
	f.Add(
		"<graphml><key id='k' for='node' attr.name='hosts'/><graph edgedefault='undirected'><node id='a'><data key='k'>2</data></node><node id='b'/><edge source='a' target='b'/></graph></graphml>",
		true,
	)
	f.Add("Switch 36 \"S-1\" # \"leaf\" enhanced port 0 lid 1 lmc 0\n[1] \"H-2\"[1](2) # \"n1 HCA-1\" lid 4 4xNDR\n[2] \"S-3\"[1] # \"top\" lid 2 4xHDR\n", false)
	f.Add("SwitchName=leaf1 Nodes=n[01-02] LinkSpeed=1\nSwitchName=top Switches=leaf1\n", false)
	f.Add("BlockName=b Nodes=n[1-2]\nBlockName=c Nodes=n3\nBlockSizes=2\n", false)
	f.Add("router a\nrouter b 0\nhost n1/x a 1GB/s\na b\n", false)
	f.Add("a b {'bandwidth_gbps': 100, 'x': \"y\"}\nb c {}\n", false)
	f.Add(`{"nodes": [{"id": 1, "hosts": 2}, {"id": "h", "type": "host"}], "links": [{"source": 1, "target": "h", "bw_gbps": 8}]}`, false)
	f.Add(`{"s1": {"lldp": {"interface": [{"e1": {"chassis": {"s2": {}}, "port": {"id": {"type": "mac", "value": "x"}}}}]}}}`, false)
	f.Add("- topology: a\n  tree:\n    switches:\n    - switch: s\n      nodes: n[1-3]\n", false)
	f.Add(infraDevices+"instances: [{name: a, device: server}, {name: b, device: switch}]\nlinks: [{name: l}]\nedges:\n"+
		"- {ep1: {instance: a, component: nic}, ep2: {instance: b, component: port}, scheme: one2one, link: l}\n", false)
	f.Add("3 1 2\n0\n0 1 100Gbps 1000ns 0\n0 2 100Gbps 0.001ms 0\n", false)
	f.Add("4 2 1 1 4 H100\n2 3\n0 2 900Gbps 25ns 0\n1 2 900Gbps 25ns 0\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0.5\n", false)
	f.Add(htsimSample, false)
	f.Fuzz(func(t *testing.T, text string, graphML bool) {
		path := filepath.Join(t.TempDir(), map[bool]string{false: "x.edges", true: "x.graphml"}[graphML])
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n, problems := netfile.Read(path, 1)
		if len(problems) > 0 {
			_ = problems.Error()
			return
		}
		if n.Spec.Size().Hosts > 1000 {
			return
		}
		if _, err := n.Spec.Build(1); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNamesOfSeveralWords demands that routers stay apart where their names
// have to be made one word.
func TestNamesOfSeveralWords(t *testing.T) {
	top, err := topology.NewIrregular(topology.IrregularSpec{
		Names: []string{"a b", "a_b", "a#b", "router"}, Hosts: []int{1, 0, 0, 0},
		Edges: []topology.Edge{{A: 0, B: 1}, {A: 1, B: 2}, {A: 2, B: 3}},
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	rate, time := units.Rate(1e9), units.Time(0)
	cable := netfile.Cable{Bandwidth: &rate, Latency: &time}
	var text strings.Builder
	if err := netfile.WriteEdges(&text, top, []netfile.Cable{cable, cable}); err != nil {
		t.Fatal(err)
	}
	n, problems := read(t, "x", text.String())
	if problems != "" || len(n.Spec.Names) != 4 || len(n.Spec.Edges) != 3 || n.Spec.Hosts[0] != 1 ||
		n.Spec.Hosts[3] != 0 {
		t.Errorf("%s\nis read as %+v %s", text.String(), n, problems)
	}
}

// unlikeHosts has hosts whose links differ at one router, and between routers.
var unlikeHosts = topology.IrregularSpec{
	Names: []string{"a", "b", "c"}, Hosts: []int{5, 0, 2},
	Edges:   []topology.Edge{{A: 0, B: 1, Class: 4}, {A: 1, B: 2, Class: 4}},
	Classes: []string{"host/old", "host/new", "thin"}, HostClasses: []uint16{2, 1, 1, 3, 2, 3, 3},
}

// oneWayLinks has links that lead one way beside others.
var oneWayLinks = topology.IrregularSpec{
	Names: []string{"a", "b", "c"}, Hosts: []int{1, 0, 2}, Classes: []string{"thin", "wide"},
	Edges: []topology.Edge{
		{A: 0, B: 1, Class: 3, OneWay: true},
		{A: 0, B: 1, Class: 3},
		{A: 2, B: 1, Class: 2},
		{A: 2, B: 0, Class: 2, OneWay: true},
		{A: 0, B: 2, Class: 3, OneWay: true},
	},
}

// TestRoundTrip demands that what is written can be read: routers with the same
// names, hosts and links between them.
func TestRoundTrip(t *testing.T) {
	writers := map[string]func(io.Writer, topology.Topology, []netfile.Cable) error{
		"x.edges": netfile.WriteEdges, "x.graphml": netfile.WriteGraphML,
		"x.node-link.json": netfile.FindFormat("node-link").Write,
	}
	specs := []topology.Spec{
		topology.TorusSpec{Dims: []int{3, 2}, Wrap: []bool{true, false}, Hosts: 2},
		topology.FatTreeSpec{Radix: 4, Levels: 3},
		topology.DragonflyPlusSpec{P: 2, Leaves: 2, Spines: 2, H: 1},
		topology.HierarchySpec{
			Block: topology.FullSpec{Routers: 2, Hosts: 1},
			Outer: topology.XGFTSpec{M: []int{2}, W: []int{1}},
		},
		unlikeHosts, oneWayLinks,
	}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		top, err := rapid.SampledFrom(specs).Draw(t, "spec").Build(1)
		if err != nil {
			t.Fatal(err)
		}
		cables := make([]netfile.Cable, len(top.LinkClasses()))
		for i := range cables {
			rate, time := units.Rate(rapid.Int64Range(1, 1<<50).Draw(t, "rate")), units.Time(
				rapid.Int64Range(0, 1<<40).Draw(t, "time"),
			)
			cables[i] = netfile.Cable{Bandwidth: &rate, Latency: &time}
		}
		name := rapid.SampledFrom([]string{"x.edges", "x.graphml", "x.node-link.json"}).Draw(t, "name")
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := writers[name](file, top, cables); err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
		n, problems := netfile.Read(filepath.Join(dir, name), 7)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		again, err := n.Spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		read := append([]netfile.Cable{{}, cables[topology.LinkHost]}, n.Cables...)
		if a, b := describe(top, cables), describe(again, read); a != b {
			t.Fatalf("written:\n%s\nread:\n%s", a, b)
		}
	})
}

// describe writes a network in words that do not depend on the order of ports.
func describe(t topology.Topology, cables []netfile.Cable) string {
	g := t.Graph()
	var lines []string
	for p, port := range g.Ports {
		switch {
		case port.NIC != topology.Unconnected:
			c := cables[port.Link]
			lines = append(lines, fmt.Sprint(t.RouterName(int(port.Router)), " host ", port.NIC, " ", *c.Bandwidth, " ", *c.Latency))
		case port.Peer > int32(p):
			c := cables[port.Link]
			ends := []string{t.RouterName(int(port.Router)), t.RouterName(g.PeerRouter(p))}
			slices.Sort(ends)
			if port.Closed || g.Ports[port.Peer].Closed {
				from := int32(p)
				if port.Closed {
					from = port.Peer
				}
				ends = append(ends, "only from", t.RouterName(int(g.Ports[from].Router)))
			}
			lines = append(
				lines,
				strings.Join(
					ends, " ",
				)+" "+c.Bandwidth.String()+" "+c.Latency.String()+" "+t.LinkClasses()[port.Link],
			)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestNamesOfLinks demands that a link joins routers that are meant: with lines of routers only
// those, without any only what looks like a name.
func TestNamesOfLinks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(rt, "routers")
		declared := rapid.Bool().Draw(rt, "declared")
		var text strings.Builder
		for r := range n {
			if declared {
				fmt.Fprintf(&text, "router r%d:0 1\n", r)
			}
		}
		mark := map[bool]string{true: ":0", false: rapid.StringMatching(`[a-z0-9_./-]{0,3}`).Draw(rt, "mark")}
		wrong := rapid.IntRange(-1, n-1).Draw(rt, "wrong")
		for r := range n {
			end := fmt.Sprintf("r%d%s", (r+1)%n, mark[declared])
			if r == wrong {
				end = rapid.StringMatching(`x[a-z]{0,3}[:,;={}"'()\[\]]`).Draw(rt, "odd")
			}
			fmt.Fprintf(&text, "r%d%s %s\n", r, mark[declared], end)
		}
		_, problems := read(t, "x", text.String())
		if found := strings.Contains(problems, "link: found router x"); found != (wrong >= 0) || problems != "" && !found {
			rt.Fatalf("%s\n%s", text.String(), problems)
		}
	})
}

// TestAttributesOfGraphML demands that no two nodes have the same name, that labels may be alike,
// and that what is not read of links is known.
func TestAttributesOfGraphML(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"name", "label"}).Draw(rt, "name")
		weight := rapid.SampledFrom([]string{"weight", "LinkSpeedRaw", "bandwidth", "latency", "class"}).Draw(rt, "of links")
		names := rapid.SliceOfN(rapid.StringMatching(`[ab]{1,2}`), 2, 5).Draw(rt, "names")
		value := map[string]string{"bandwidth": "1GB/s", "latency": "1ns", "class": "c", "LinkSpeedRaw": "8e9"}[weight]
		var text strings.Builder
		fmt.Fprintf(
			&text, "<graphml><key id='k' attr.name='%s'/><key id='w' attr.name='%s'/><graph>\n", name, weight,
		)
		for i, name := range names {
			fmt.Fprintf(&text, "<node id='%d'><data key='k'>%s</data></node>\n", i, name)
		}
		fmt.Fprintf(
			&text, "<edge source='0' target='1'><data key='w'>%s</data></edge></graph></graphml>", value,
		)
		n, problems := read(t, "x.graphml", text.String())
		twice := len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names)
		if refused := strings.Contains(problems, "a second time"); refused != (twice && name == "name") {
			rt.Fatalf("%s\n%s", text.String(), problems)
		}
		if problems != "" {
			return
		}
		unique := slices.Compact(slices.Sorted(slices.Values(n.Spec.Names)))
		if len(unique) != len(names) || slices.Contains(n.Unread, weight) != (value == "") {
			rt.Fatalf("%s\nnames %q, not read %q", text.String(), n.Spec.Names, n.Unread)
		}
	})
}
