package networks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
)

// What a program sets in an experiment that was read is not called a default when it is wrong.
func TestDefaultsAreToldFromWhatAProgramSets(t *testing.T) {
	const text = "network: {topology: {dims: [4]}}\nworkload: {program: barrier}\n"
	e, err := fabricast.Parse("file.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	e.Node.NICs = -1
	if err := e.Resolve(); err == nil || !strings.Contains(err.Error(), "node.nics: found -1, expected") {
		t.Errorf("found %v, expected -1 as it is", err)
	}
	_, err = fabricast.Parse(
		"file.yaml",
		strings.Replace(text, "network: {", "network: {packet: {mtu: 1MiB}, ", 1),
	)
	if err == nil ||
		!strings.Contains(err.Error(), "network.packet.flit: found 16B (the default), expected at least") {
		t.Errorf("found %v, expected that the flit is told to be the default", err)
	}
}

// variedLinks are networks whose classes of links may differ, each with the names of some entries of
// network.links.
var variedLinks = []struct {
	topology string
	entries  []string
}{
	{"{dims: [3, 3]}", []string{"host", "x", "y", "0-1", `"(0,0)-(0,1)"`, "host/0-3", `"host/(1,1)"`}},
	{"{kind: fully-connected, routers: 1, hosts: 4}", []string{"host", "host/1", "host/0,2-3"}},
	{"{kind: fully-connected, routers: 3, hosts: 2}", []string{"host", "0-2"}},
	{"{kind: dragonfly, p: 2, a: 2, h: 1}", []string{"host", "local", "global", "0-1"}},
	{"{kind: k-ary-n-tree, k: 2, n: 3}", []string{"host", "level1", "level2"}},
	{
		"{kind: hierarchy, block: {kind: mesh, dims: [2, 2]}, outer: {kind: fully-connected, routers: 3}, external: [0, 3]}",
		[]string{"host", "outer", "block", "block/x", "0-1"},
	},
	{"{kind: file, file: FILE}", []string{"host", "host/40GBps 3us", "host/0", "host/c"}},
}

// TestDefaultsOfCrossbarAndBuffer: whatever classes of links a network has, no crossbar is slower than
// a link at it, and the buffer of a virtual channel holds the round trip of every link, so that no
// flow is held up by it.
func TestDefaultsOfCrossbarAndBuffer(t *testing.T) {
	const edges = "router a 2\nrouter b 2 40GB/s 3us 1 2us\nrouter c 2\na b 40GB/s 3us\nb c 100GB/s\n"
	file := filepath.Join(t.TempDir(), "links.edges")
	if err := os.WriteFile(file, []byte(edges), 0o600); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		rate := func(name string) string {
			return fmt.Sprint(rapid.IntRange(1, 900).Draw(t, name+" GB/s"), "GB/s")
		}
		delay := func(name string) string {
			return fmt.Sprint(rapid.SampledFrom([]int{0, 1, 20, 300, 4000}).Draw(t, name+" ns"), "ns")
		}
		link := func(name string) string {
			fields := map[string]string{
				"both": "{bandwidth: " + rate(name) + ", latency: " + delay(name) + "}",
				"rate": "{bandwidth: " + rate(name) + "}", "delay": "{latency: " + delay(name) + "}",
			}
			return fields[rapid.SampledFrom([]string{"both", "rate", "delay"}).Draw(t, name)]
		}
		of := rapid.SampledFrom(variedLinks).Draw(t, "network")
		var text, entries strings.Builder
		fmt.Fprintf(&text, "network:\n  topology: %s\n", strings.Replace(of.topology, "FILE", file, 1))
		for _, field := range []string{"link", "host_link"} {
			if rapid.Bool().Draw(t, "gives "+field) {
				fmt.Fprintf(&text, "  %s: %s\n", field, link(field))
			}
		}
		for _, name := range of.entries {
			if strings.ContainsRune(name, '(') && strings.Contains(entries.String(), "0-1") {
				continue // the same link
			}
			if rapid.Bool().Draw(t, "gives "+name) {
				fmt.Fprintf(&entries, "    %s: %s\n", name, link(name))
			}
		}
		if entries.Len() > 0 {
			text.WriteString("  links:\n" + entries.String())
		}
		mtu := rapid.SampledFrom([]int{16, 64, 256, 4096}).Draw(t, "MTU")
		fmt.Fprintf(&text, "  packet: {mtu: %dB, flit: 16B}\n  router: {latency: %s}\n", mtu, delay("router"))
		size := rapid.SampledFrom([]int{1, 100, 1 << 20}).Draw(t, "size")
		fmt.Fprintf(&text, "workload: {program: ring, size: %dB}\n", size)
		e, err := fabricast.Parse("x.yaml", text.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, &text)
		}
		p, err := e.Preview()
		if err != nil {
			t.Fatalf("%v\n%s", err, &text)
		}
		router := p.Experiment.Network.Router
		if p.Flow != "" || p.RoundTrip.Bytes > router.Buffer {
			t.Fatalf("buffers of %s, round trip %+v, %q\n%s", router.Buffer, *p.RoundTrip, p.Flow, &text)
		}
		l, err := e.Layout()
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range l.Links {
			if link.Bandwidth > router.Bandwidth {
				t.Fatalf("crossbars of %s, links of %s\n%s", router.Bandwidth, link.Bandwidth, &text)
			}
		}
	})
}
