package netfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/netfile"
	"fabricast/internal/units"
)

// TestEveryPairOfFormats converts a tree of two levels from each format into each other one. The shape of the
// network remains, and so do bandwidths and latencies if both formats hold them.
func TestEveryPairOfFormats(t *testing.T) {
	var both []*netfile.Format
	for _, f := range netfile.Formats() {
		if f.Writes() && f.Name != "dot" {
			both = append(both, f)
		}
	}
	dir := t.TempDir()
	pair := func(t *rapid.T, from, to *netfile.Format, text string) {
		first := readText(t, filepath.Join(dir, "x.edges"), text)
		last := rewritten(t, rewritten(t, first, from, dir), to, dir)
		rates := holdsRates(from) && holdsRates(to)
		times := rates && from.Name != "ibnetdiscover" && to.Name != "ibnetdiscover"
		if a, b := shape(first, rates, times), shape(last, rates, times); a != b {
			t.Fatalf("%s to %s: was\n%s\nis\n%s", from.Name, to.Name, a, b)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.SampledFrom(both).Draw(t, "from")
		for _, to := range both {
			pair(t, from, to, drawTree(t, from.Name, to.Name))
		}
	})
}

// holdsRates reports whether a format holds bandwidths.
func holdsRates(f *netfile.Format) bool {
	return !slices.Contains([]string{"slurm", "slurm-yaml", "lldp"}, f.Name)
}

// drawTree returns a list of links: leaves with hosts, and spines to which each leaf has a link. Slurm has
// trees with one root only.
func drawTree(t *rapid.T, formats ...string) string {
	leaves, spines := rapid.IntRange(2, 4).Draw(t, "leaves"), rapid.IntRange(1, 3).Draw(t, "spines")
	hosts := rapid.IntRange(2, 4).Draw(t, "hosts")
	if slices.Contains(formats, "slurm") || slices.Contains(formats, "slurm-yaml") {
		spines = 1
	}
	cable := func(name string) string {
		return fmt.Sprintf("%s %dns", rapid.SampledFrom([]string{"25GB/s", "50GB/s", "100GB/s"}).Draw(t, name),
			rapid.IntRange(1, 500).Draw(t, name+" latency"))
	}
	edge, core := cable("edge"), cable("core")
	var text strings.Builder
	for leaf := range leaves {
		fmt.Fprintf(&text, "router leaf%d\n", leaf)
		for host := range hosts {
			fmt.Fprintf(&text, "host n%d leaf%d %s\n", leaf*hosts+host, leaf, edge)
		}
	}
	for spine := range spines {
		fmt.Fprintf(&text, "router spine%d 0\n", spine)
		for leaf := range leaves {
			fmt.Fprintf(&text, "leaf%d spine%d %s\n", leaf, spine, core)
		}
	}
	return text.String()
}

// readText writes a text into a file, and reads it.
func readText(t *rapid.T, path, text string) *netfile.Network {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	n, problems := netfile.Read(path, 1)
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, text)
	}
	return n
}

// rewritten writes a network in a format, and reads it.
func rewritten(t *rapid.T, n *netfile.Network, f *netfile.Format, dir string) *netfile.Network {
	top, err := n.Spec.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := f.Write(&text, top, append(make([]netfile.Cable, 2), n.Cables...)); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	again := readText(t, filepath.Join(dir, "x"+f.Endings[0]), text.String())
	if again.Reading.Format != f.Name {
		t.Fatalf("%s was read as %s", f.Name, again.Reading.Format)
	}
	return again
}

// shape describes a network without its names: for each router its hosts, and the hosts of its neighbours.
func shape(n *netfile.Network, rates, times bool) string {
	label := func(class uint16) string {
		c, text := n.Cable(class), ""
		if rates {
			text += fmt.Sprint(" ", rateOf(c))
		}
		if times {
			text += fmt.Sprint(" ", timeOf(c))
		}
		return text
	}
	lines, host := make([][]string, len(n.Spec.Names)), 0
	for r, count := range n.Spec.Hosts {
		for range count {
			class := uint16(0)
			if host < len(n.Spec.HostClasses) {
				class = n.Spec.HostClasses[host]
			}
			lines[r] = append(lines[r], "host"+label(class))
			host++
		}
	}
	for _, e := range n.Spec.Edges {
		for _, ends := range [][2]int{{e.A, e.B}, {e.B, e.A}} {
			lines[ends[0]] = append(lines[ends[0]], fmt.Sprintf("switch of %d hosts%s", n.Spec.Hosts[ends[1]], label(e.Class)))
		}
	}
	all := make([]string, len(lines))
	for r, list := range lines {
		slices.Sort(list)
		all[r] = strings.Join(list, ", ")
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func rateOf(c netfile.Cable) units.Rate {
	if c.Bandwidth == nil {
		return -1
	}
	return *c.Bandwidth
}

func timeOf(c netfile.Cable) units.Time {
	if c.Latency == nil {
		return -1
	}
	return *c.Latency
}
