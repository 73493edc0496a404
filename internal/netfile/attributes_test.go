package netfile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/units"
)

// TestUnitsInNames: an attribute of a link may name its unit.
func TestUnitsInNames(t *testing.T) {
	f := func(name, value string, bandwidth units.Rate, latency units.Time) {
		t.Helper()
		n, problems := read(t, "x.graphml", fmt.Sprintf(`<graphml><key id="k" for="edge" attr.name="%s"/>
<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"><data key="k">%s</data></edge></graph></graphml>`,
			name, value))
		if problems != "" {
			t.Errorf("%s: %s", name, problems)
			return
		}
		c := n.Cable(n.Spec.Edges[0].Class)
		if bandwidth > 0 && (c.Bandwidth == nil || *c.Bandwidth != bandwidth) || latency > 0 && (c.Latency == nil || *c.Latency != latency) {
			t.Errorf("%s = %s is read as %s", name, value, c.Label())
		}
		if read := bandwidth+units.Rate(latency) > 0; read == slices.Contains(n.Unread, name) {
			t.Errorf("%s: unread %q", name, n.Unread)
		}
	}
	f("LinkSpeedRaw", "1.0E10", 1_250_000_000, 0)
	f("bandwidth_gbps", "100", 12_500_000_000, 0)
	f("bw_GBps", "2.5", 2_500_000_000, 0)
	f("capacity_Mbps", "8", 1_000_000, 0)
	f("speed_gbit/s", "8", 1_000_000_000, 0)
	f("link_speed_bytes_per_second", "7", 7, 0)
	f("latency_ns", "1.5", 0, 1500)
	f("delay_us", "2", 0, 2_000_000)
	f("weight", "3", 0, 0)
	f("delay", "3", 0, 0)
	_, problems := read(t, "x.graphml", `<graphml><key id="k" attr.name="bw_gbps"/>
<graph><node id="a"/><node id="b"/>
<edge source="a" target="b"><data key="k">-3</data></edge></graph></graphml>`)
	if !strings.Contains(problems, "x.graphml:3:") || !strings.Contains(problems, "bandwidth: found bw_gbps -3, expected a number above 0") {
		t.Error(problems)
	}
}

// TestHostNodes: nodes that an attribute calls hosts become hosts of the routers that they are linked to.
func TestHostNodes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		role := rapid.SampledFrom([]string{"type", "role", "Kind"}).Draw(rt, "role")
		word := rapid.SampledFrom([]string{"host", "Server", "GPU"}).Draw(rt, "word")
		links := rapid.SliceOfN(rapid.IntRange(0, 2), 1, 6).Draw(rt, "links") // hosts' links to each of two routers
		var text strings.Builder
		fmt.Fprintf(&text, "<graphml><key id='k' attr.name='%s'/><graph>\n<node id='a'/><node id='b'/><edge source='a' target='b'/>\n", role)
		want := 0
		for i, n := range links {
			fmt.Fprintf(&text, "<node id='h%d'><data key='k'>%s</data></node>\n", i, word)
			for j := range n {
				fmt.Fprintf(&text, "<edge source='h%d' target='%s'/>\n", i, []string{"a", "b"}[j])
			}
			want += n
		}
		n, problems := read(t, "x.graphml", text.String()+"</graph></graphml>")
		if problems != "" {
			rt.Fatalf("%s\n%s", text.String(), problems)
		}
		if n.Spec.Size().Hosts != want || len(n.Spec.Names) != 2 || len(n.Spec.HostNames) != want {
			rt.Fatalf("%s\n%+v", text.String(), n.Spec)
		}
		alone := slices.Contains(links, 0)
		if ignored := strings.Contains(strings.Join(n.Reading.Ignored, "\n"), "without a link to a router"); ignored != alone {
			rt.Fatalf("%s\nignored %q", text.String(), n.Reading.Ignored)
		}
	})
}
