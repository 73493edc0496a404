package netfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/topology"
)

// TestNodeLink reads what NetworkX writes, with links under either name.
func TestNodeLink(t *testing.T) {
	f := func(links string) {
		t.Helper()
		n, problems := read(t, "x.json", `{"directed": false, "multigraph": true, "graph": {"name": "g"}, "nodes": [
 {"type": "switch", "id": 0, "hosts": 2}, {"type": "switch", "id": 1, "label": "b", "x": 1.5}, {"type": "host", "id": "h"}],
 "`+links+`": [{"bandwidth_gbps": 100, "source": 0, "target": 1, "key": 0}, {"source": 1, "target": "h", "weight": 2}]}`)
		if problems != "" {
			t.Fatal(problems)
		}
		if s := n.Spec; !slices.Equal(s.Names, []string{"0", "b"}) || !slices.Equal(s.Hosts, []int{2, 1}) ||
			!slices.Equal(s.Edges, []topology.Edge{{A: 0, B: 1, Class: 2}}) || !slices.Equal(s.HostNames, []string{"", "", "h"}) {
			t.Errorf("read %+v", s)
		}
		if r := strings.Join(append(n.Reading.Ignored, n.Reading.Guessed...), "\n"); !strings.Contains(r, "weight (1)") ||
			!strings.Contains(r, "x (1)") || !strings.Contains(r, "graph.name (1)") || !strings.Contains(r, "type=host (1)") {
			t.Errorf("the reading is %s", r)
		}
	}
	f("links")
	f("edges")
}

// TestDirected: of a directed graph, two opposite links are one; one alone leads one way. A host has one link
// however many ways are given.
func TestDirected(t *testing.T) {
	f := func(name, text string) {
		t.Helper()
		n, problems := read(t, name, text)
		if problems != "" {
			t.Fatal(problems)
		}
		want := []topology.Edge{{A: 0, B: 1}, {A: 0, B: 1, OneWay: true}}
		if !slices.Equal(n.Spec.Edges, want) || !slices.Contains(n.Reading.Understood, "1 link one way") {
			t.Errorf("read %+v, %q", n.Spec, n.Reading.Understood)
		}
		if name != "x.edges" && !slices.Equal(n.Spec.HostNames, []string{"h"}) {
			t.Errorf("hosts %q", n.Spec.HostNames)
		}
	}
	f("x.node-link.json", `{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}, {"id": "h", "type": "host"}], "links": [
{"source": "a", "target": "b"}, {"source": "b", "target": "a"}, {"source": "a", "target": "b"},
{"source": "h", "target": "a"}, {"source": "a", "target": "h"}]}`)
	f("x.graphml", `<graphml><key id="t" attr.name="type"/><graph edgedefault="directed"><node id="a"/><node id="b"/>
<node id="h"><data key="t">host</data></node><edge source="a" target="b" directed="false"/><edge source="a" target="b"/>
<edge source="h" target="a"/><edge source="a" target="h"/></graph></graphml>`)
	f("x.edges", "a b\na b oneway\n")
}

// TestTuples: nodes of NetworkX may be tuples, in JSON and in lists of links, and attributes may be
// lists.
func TestTuples(t *testing.T) {
	f := func(name, text string) {
		t.Helper()
		n, problems := read(t, name, text)
		if problems != "" {
			t.Fatal(problems)
		}
		if !slices.Equal(n.Spec.Names, []string{"0_0", "1_0"}) || len(n.Spec.Edges) != 1 || !slices.Equal(n.Unread, []string{"pos"}) {
			t.Errorf("%s: read %+v, unread %q", name, n.Spec, n.Unread)
		}
	}
	f("x.node-link.json", `{"nodes": [{"id": [0, 0]}, {"id": [1, 0]}], "edges": [{"source": [0, 0], "target": [1, 0], "pos": [1, 2]}]}`)
	f("x.edgelist", "(0, 0) (1, 0) {'pos': [1, (2, ')')]}\n")
	if _, problems := read(t, "x", "(0, 0) (1, 0) {'bandwidth': 1}\n"); !strings.Contains(problems, "x:1:29: bandwidth: found 1") {
		t.Error(problems)
	}
}

// TestEndpoints: graphs of SST's AnyTopo give the hosts of routers as endpoints.
func TestEndpoints(t *testing.T) {
	n, problems := read(t, "x.json", `{"directed": false, "nodes": [{"endpoints": 3, "id": 0}, {"endpoints": 9, "hosts": 2, "id": 1}], "links": []}`)
	if problems != "" || !slices.Equal(n.Spec.Hosts, []int{3, 2}) {
		t.Errorf("%s hosts %v", problems, n)
	}
	if len(n.Reading.Guessed) > 0 {
		t.Errorf("guessed %q", n.Reading.Guessed)
	}
}

// TestDefaults: what a graph does not say is listed as guessed.
func TestDefaults(t *testing.T) {
	n, problems := read(t, "x", "a b\nb c 1GB/s\n")
	want := []string{
		"3 switches without a number of hosts: topology.hosts for each, here 1",
		"1 link without a bandwidth: that of network.link", "2 links without a latency: that of network.link",
	}
	if problems != "" || !slices.Equal(n.Reading.Guessed, want) {
		t.Errorf("%s guessed %q", problems, n.Reading.Guessed)
	}
}

// TestWrongNodeLink refuses JSON with the place of the mistake.
func TestWrongNodeLink(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if _, problems := read(t, "x.node-link.json", text); !strings.Contains(problems, want) {
			t.Errorf("%q: message lacks %q:\n%s", text, want, problems)
		}
	}
	f("{\"nodes\": [\n{\"id\": 1}, {\"id\": 1}], \"links\": []}", `x.node-link.json:2:12: node: found node "1" a second time`)
	f("{\"nodes\": [{\"id\": 1}],\n \"links\": [{\"source\": 1, \"target\": 2}]}", "x.node-link.json:2:36: target: found 2, expected the id of a node")
	f("{\"nodes\": [{}]}", "found a node without an id")
	f("{\"nodes\": []}", "links: found none, expected a list of links")
	f("{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1}]}", "target: found a link without it")
	f("{\"nodes\": [1,\n 2", "x.node-link.json:2:")
	f("[1]", "found another value, expected an object")
	f("{} {}", "found more after the object")
	f(strings.Repeat("{\"a\":[", 200), "too deep")
	f("{\"nodes\": [{\"id\": \"é\"}, {\"id\": 2, \"hosts\": \"x\"}], \"links\": []}", "x.node-link.json:1:44: hosts: found x")
}

// TestDictionaries reads lists of links as NetworkX writes them.
func TestDictionaries(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		quote := rapid.SampledFrom([]string{"'", `"`}).Draw(rt, "quote")
		rate := rapid.IntRange(1, 1000).Draw(rt, "rate")
		latency := rapid.SampledFrom([]string{"", "50ns"}).Draw(rt, "latency")
		fields := []string{fmt.Sprintf("%sbandwidth_GBps%[1]s: %d", quote, rate), fmt.Sprintf("%sup%[1]s: True", quote), "'x': None"}
		if latency != "" {
			fields = append(fields, fmt.Sprintf("%slatency%[1]s: %[1]s%s%[1]s", quote, latency))
		}
		fields = rapid.Permutation(fields).Draw(rt, "fields")
		n, problems := read(t, "x.edgelist", "#comment\na b {"+strings.Join(fields, ", ")+"}\nb c {}\nc d\n")
		if problems != "" {
			rt.Fatal(problems)
		}
		c := n.Cable(n.Spec.Edges[0].Class)
		if len(n.Spec.Names) != 4 || len(n.Spec.Edges) != 3 || c.Bandwidth == nil || int(*c.Bandwidth) != rate*1e9 ||
			(c.Latency != nil) != (latency != "") || !slices.Equal(n.Unread, []string{"up"}) {
			rt.Fatalf("%v: %+v, %s, unread %q", fields, n.Spec, c.Label(), n.Unread)
		}
	})
	f := func(line, want string) {
		t.Helper()
		if _, problems := read(t, "x", line); !strings.Contains(problems, want) {
			t.Errorf("%q: %s", line, problems)
		}
	}
	f("a b {'x' 1}", "x:1:6: attributes: found 'x' 1}")
	f("a b {'x': 1", "x:1:12: attributes: found the end of the line")
	f("a b {'x': 1} c", "x:1:14: attributes: found c")
	f("a b {'x': [1, {'y': ']'}", "x:1:25: attributes: found the end of the line")
	f("a b {'bandwidth': 1}", "x:1:19: bandwidth: found 1, expected a rate such as")
	f("a b {'x': 'y", "x:1:11: attributes: found 'y")
}
