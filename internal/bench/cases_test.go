package bench

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"fabricast"
	"fabricast/experiment"
)

// TestCasesAreTheExamples demands that the full sizes are what the examples
// describe, to the last parameter.
func TestCasesAreTheExamples(t *testing.T) {
	f := func(name, file string) {
		t.Helper()
		want, err := fabricast.Load(filepath.Join("../../examples", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := want.Resolve(); err != nil {
			t.Fatal(err)
		}
		cases, err := Select([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		got := cases[0].Full.Experiment
		if err := got.Resolve(); err != nil {
			t.Fatal(err)
		}
		wantText, err := want.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if gotText, err := got.YAML(); err != nil || string(gotText) != string(wantText) {
			t.Errorf("%s differs from %s (%v):\n%s", name, file, err, gotText)
		}
	}
	f("nsim-64k", "nsim-bruck-64k.yaml")
	f("nsim-64k-2w", "nsim-bruck-64k.yaml")
	f("bruck-4k-1024B", "bruck-4k-1024B.yaml")
	f("stencil-512k", "stencil-512k.yaml")
	f("uniform-64k", "uniform-64k.yaml")
}

func TestCasesAreInOrder(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, c := range Cases() {
		if seen[c.Name] {
			t.Errorf("two cases, or none, are called %q", c.Name)
		}
		if !seen[c.SpeedUpOf] {
			t.Errorf("%s is compared to %s, which does not run before it", c.Name, c.SpeedUpOf)
		}
		seen[c.Name] = true
		for _, full := range []bool{false, true} {
			size := *c.at(full)
			n := size.Experiment.Network
			if err := size.Experiment.Resolve(); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
			if !reflect.DeepEqual(n, size.Experiment.Network) {
				t.Errorf("%s leaves parameters of its network to defaults", c.Name)
			}
			if size.Repeat < 1 {
				t.Errorf("%s is not measured at all", c.Name)
			}
		}
		if c.Full.Cut != "" {
			t.Errorf("the full size of %s is cut down: %s", c.Name, c.Full.Cut)
		}
		if cut := !reflect.DeepEqual(measured(c.Full), measured(c.Short)); cut != (c.Short.Cut != "") {
			t.Errorf("%s: that its short form is cut down is %v, but it says %q", c.Name, cut, c.Short.Cut)
		}
	}
}

// measured is what the speed of a size follows from, in comparable form.
func measured(s Size) []any {
	e := s.Experiment
	return []any{e.Network, e.Node, e.Workload, e.Traffic, e.Ranks, e.Program == nil}
}

// TestBruckShare demands that a share of 1 is the algorithm itself.
func TestBruckShare(t *testing.T) {
	whole, part := onTorus(bruck(4), 4, 4, 2), onTorus(experiment.Workload{}, 4, 4, 2)
	part.Program = bruckShare(4, 1)
	a, err := whole.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := part.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a.SimulatedTime != b.SimulatedTime || a.PacketHops != b.PacketHops {
		t.Errorf(
			"%v and %d packet-hops, expected %v and %d",
			b.SimulatedTime, b.PacketHops, a.SimulatedTime, a.PacketHops,
		)
	}
}

func TestSelect(t *testing.T) {
	cases, err := Select([]string{"bruck-64", "nsim-64k", "bruck-64"})
	if err != nil || len(cases) != 2 || cases[0].Name != "nsim-64k" || cases[1].Name != "bruck-64" {
		t.Errorf("got %v, %v", cases, err)
	}
	var unknown *UnknownError
	if _, err := Select([]string{"bruck-64", "bruck-65"}); !errors.As(err, &unknown) ||
		unknown.Name != "bruck-65" {
		t.Errorf("got %v", err)
	}
	if all, err := Select(nil); err != nil || len(all) != len(Names()) {
		t.Errorf("%d cases of %d, %v", len(all), len(Names()), err)
	}
}
