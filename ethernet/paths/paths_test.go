package paths

import (
	"reflect"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"fabricast/internal/random"
	"fabricast/internal/units"
)

const us = 1_000_000 // ps

// driven is an algorithm with the state of one flow.
type driven struct {
	Chooser
	s []uint64
}

func drive(s Spec, seed uint64) driven {
	c := Make(s)
	d := driven{c, make([]uint64, c.Words())}
	c.Start(d.s, seed)
	return d
}

func (d *driven) next(n int) (list []uint16) {
	for range n {
		list = append(list, d.Next(d.s, 0))
	}
	return list
}

func TestECMP(t *testing.T) {
	values := map[uint16]bool{}
	for seed := range uint64(100) {
		d := drive(ECMPOptions{}, seed)
		list := d.next(3)
		if list[0] != uint16(random.Below(seed, 1, 65536)) || list[1] != list[0] || list[2] != list[0] {
			t.Fatal(list)
		}
		values[list[0]] = true
	}
	if len(values) < 95 {
		t.Errorf("100 flows have %d values", len(values))
	}
}

func TestObliviousTakesEachPathOnceInACycle(t *testing.T) {
	for _, paths := range []int{1, 2, 64, 65536} {
		d := drive(ObliviousOptions{Paths: paths}, 7)
		var first []uint16
		for cycle := range 3 {
			list := d.next(paths)
			sorted := slices.Clone(list)
			slices.Sort(sorted)
			low := sorted[0]
			for i, v := range sorted {
				if v != low+uint16(i) || low%uint16(max(1, paths&0xffff)) != 0 {
					t.Fatalf("%d paths: %v", paths, sorted)
				}
			}
			for i, v := range list { // the order is that of i XOR one number
				if v^list[0] != uint16(i) {
					t.Fatalf("%d paths: %v", paths, list)
				}
			}
			if cycle == 0 {
				first = list
			} else if paths == 64 && slices.Equal(first, list) {
				t.Errorf("cycle %d has the order of the first", cycle)
			}
		}
	}
}

func TestBitmapPassesOverPenalties(t *testing.T) {
	d := drive(BitmapOptions{Paths: 4}, 1)
	plain := d.next(4) // a, b, c, d
	// in which order the second cycle goes
	same := drive(BitmapOptions{Paths: 4}, 1)
	same.next(4)
	order := same.next(4)
	d.Acked(d.s, plain[0], false, 0) // nothing
	d.Acked(d.s, order[1], true, 0)  // 1
	if got := d.next(3); !slices.Equal(got, []uint16{order[0], order[2], order[3]}) {
		t.Errorf("%v of %v, expected the second to be passed over", got, order)
	}
	if list := d.next(4); len(unique(list)) != 4 {
		t.Errorf("%v, expected all again", list)
	}
}

func unique(list []uint16) []uint16 {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// TestBitmapPenalties: how many times a path is passed over.
func TestBitmapPenalties(t *testing.T) {
	for _, c := range []struct {
		name string
		hit  func(d *driven, v uint16)
		want int
	}{
		{"mark", func(d *driven, v uint16) { d.Acked(d.s, v, true, 0) }, 1},
		{"cut", func(d *driven, v uint16) { d.Cut(d.s, v, 0) }, 4},
		{"timeout", func(d *driven, v uint16) { d.Expired(d.s, v, 0) }, 15},
		{"cut and timeout", func(d *driven, v uint16) { d.Cut(d.s, v, 0); d.Expired(d.s, v, 0) }, 15},
		{"five cuts", func(d *driven, v uint16) {
			for range 5 {
				d.Cut(d.s, v, 0)
			}
		}, 15},
	} {
		d := drive(BitmapOptions{Paths: 32}, 3)
		first := d.next(32)
		c.hit(&d, first[20])
		for range c.want {
			if list := d.next(31); slices.Contains(list, first[20]) || len(unique(list)) != 31 {
				t.Fatalf("%s: %v has %d, or not all others", c.name, list, first[20])
			}
		}
		if list := d.next(32); !slices.Contains(list, first[20]) {
			t.Errorf("%s: %v lacks %d", c.name, list, first[20])
		}
	}
}

func TestBitmapWithPenaltiesEverywhere(t *testing.T) {
	d := drive(BitmapOptions{Paths: 16}, 9)
	for _, v := range d.next(16) {
		d.Expired(d.s, v, 0)
	}
	top := d.next(1)[0] &^ 15
	for _, v := range d.next(500) {
		if v&^15 != top {
			t.Fatalf("%d is none of the paths", v)
		}
	}
}

func TestREPS(t *testing.T) {
	d := drive(REPSOptions{Paths: 16, Freeze: 100 * units.Microsecond}, 5)
	drawn := func(from, n uint64) (list []uint16) {
		for i := range n {
			list = append(list, uint16(random.Below(5, from+i, 16)))
		}
		return list
	}
	wants := func(when string, want ...uint16) {
		t.Helper()
		if got := d.next(len(want)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", when, got, want)
		}
	}
	ack := func(at int64, values ...uint16) {
		for _, v := range values {
			d.Acked(d.s, v, false, at)
		}
	}
	wants("nothing is known", drawn(1, 3)...)
	ack(0, 101, 102, 103)
	d.Acked(d.s, 104, true, 0)
	wants("the oldest first, then drawn", append([]uint16{101, 102, 103}, drawn(4, 1)...)...)
	ack(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	wants("the last eight", 3, 4)
	d.Expired(d.s, 1, 10*us)
	wants("frozen: all eight over and over, in the order of the ring", 6, 7, 8, 9, 10, 3, 4, 5, 6)
	d.Cut(d.s, 1, 110*us)
	wants("still frozen", 7)
	d.Cut(d.s, 1, 110*us+1)
	wants("explores", drawn(5, 16)...)
	ack(111*us, 20)
	wants("recycles", 20)
	wants("draws", drawn(21, 1)...)
}

func TestREPSExploresBeforeAnotherFreeze(t *testing.T) {
	d := drive(REPSOptions{Freeze: units.Microsecond}, 5)
	d.Expired(d.s, 1, 0)
	d.Acked(d.s, 7, false, 10*us) // ends the freeze, and is kept
	d.Expired(d.s, 1, 11*us)      // no freeze while it explores
	for i, v := range d.next(16) {
		if v != uint16(random.Below(5, uint64(i+1), 64)) {
			t.Errorf("packet %d has %d", i, v)
		}
	}
	if v := d.next(1)[0]; v != 7 {
		t.Error(v)
	}
}

func TestMixed(t *testing.T) {
	d, plain := drive(MixedOptions{Paths: 8}, 4), drive(BitmapOptions{Paths: 8}, 4)
	wants := func(want ...uint16) {
		t.Helper()
		if got := d.next(len(want)); !slices.Equal(got, want) {
			t.Errorf("%v, expected %v", got, want)
		}
	}
	wants(plain.next(3)...)
	d.Acked(d.s, 500, false, 0)
	d.Acked(d.s, 501, false, 0)
	hit := func(c driven) {
		c.Acked(c.s, 2, true, 0)
		c.Cut(c.s, 3, 0)
		c.Expired(c.s, 4, 0)
	}
	hit(d)
	hit(plain)
	wants(append([]uint16{500, 501}, plain.next(30)...)...)
	var list []uint16
	for i := range uint16(70) {
		d.Acked(d.s, 1000+i, false, 0)
		list = append(list, 1000+i)
	}
	wants(append(list[:64], plain.next(3)...)...)
}

func TestFlowlets(t *testing.T) {
	d := drive(FlowletsOptions{Paths: 1024, Gap: 5 * units.Microsecond}, 6)
	for _, c := range []struct {
		at   int64
		draw uint64
	}{{0, 1}, {5 * us, 1}, {10 * us, 1}, {15*us + 1, 2}, {16 * us, 2}, {100 * us, 3}} {
		if got, want := d.Next(d.s, c.at), uint16(random.Below(6, c.draw, 1024)); got != want {
			t.Errorf("at %d: %d, expected %d", c.at, got, want)
		}
	}
}

// TestEveryChooser drives every algorithm with all its examples by random events: values are of the
// flow's paths, and the same events give the same values.
func TestEveryChooser(t *testing.T) {
	for _, k := range Kinds() {
		for _, spec := range specs(t, k) {
			rapid.Check(t, func(t *rapid.T) {
				seed := rapid.Uint64().Draw(t, "seed")
				one, other := drive(spec, seed), drive(spec, seed)
				now, last := int64(0), one.Next(one.s, 0)
				other.Next(other.s, 0)
				seen := map[uint16]bool{last: true}
				for range rapid.IntRange(1, 100).Draw(t, "events") {
					now += rapid.Int64Range(0, 1000*us).Draw(t, "pause")
					kind, marked := rapid.IntRange(0, 6).Draw(t, "kind"), rapid.Bool().Draw(t, "marked")
					for _, d := range []driven{one, other} {
						switch kind {
						case 0:
							d.Cut(d.s, last, now)
						case 1:
							d.Expired(d.s, last, now)
						case 2, 3:
							d.Acked(d.s, last, marked, now)
						}
					}
					last = one.Next(one.s, now)
					if got := other.Next(other.s, now); got != last {
						t.Fatalf("%+v: %d and %d", spec, last, got)
					}
					seen[last] = true
				}
				if n := pathsOf(spec); len(seen) > n {
					t.Fatalf("%+v: %d values", spec, len(seen))
				}
			})
		}
	}
}

// pathsOf returns the number of paths in options.
func pathsOf(s Spec) int {
	f := reflect.ValueOf(s).FieldByName("Paths")
	if !f.IsValid() {
		return 1
	}
	return numberOf(int(f.Int()))
}

// specs returns an algorithm with all its examples.
func specs(t *testing.T, k *Kind) (list []Spec) {
	t.Helper()
	for _, text := range k.Examples {
		o := k.New()
		var fields map[string]string
		if err := yaml.Unmarshal([]byte("{"+text+"}"), &fields); err != nil {
			t.Fatal(err)
		}
		for _, option := range k.Options {
			value, given := fields[option.Name]
			if !given {
				continue
			}
			delete(fields, option.Name)
			to := reflect.ValueOf(o).Elem().Field(option.Index).Addr().Interface()
			var err error
			if s, ok := to.(interface{ Set(text string) error }); ok {
				err = s.Set(value)
			} else {
				err = yaml.Unmarshal([]byte(value), to)
			}
			if err != nil {
				t.Errorf("%s: %v", option.Name, err)
			}
		}
		if m := k.Check(o); m != nil || len(fields) > 0 {
			t.Errorf("%s: %s: %+v, %v", k.Name, text, m, fields)
		}
		list = append(list, k.Spec(o))
	}
	return list
}

func TestKinds(t *testing.T) {
	for _, k := range Kinds() {
		if k.Summary == "" || k.Source == "" || len(k.Examples) == 0 {
			t.Errorf("%+v", k)
		}
		for _, o := range k.Options {
			if o.Help == "" || o.Default == "" {
				t.Errorf("%s: %+v", k.Name, o)
			}
		}
		for _, s := range specs(t, k) {
			if KindOf(s) != k || FindKind(s.Name()) != k || Make(s) == nil {
				t.Errorf("%s: %+v", k.Name, s)
			}
		}
	}
	if len(KindNames()) != len(Kinds()) || FindKind("mine") != nil {
		t.Error(KindNames())
	}
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{ObliviousOptions{Paths: 3}, "paths: found 3, expected a power of two up to 65536"},
		{BitmapOptions{Paths: 131072}, "paths: found 131072, expected a power of two up to 65536"},
		{MixedOptions{Paths: -1}, "paths: found -1, expected a power of two up to 65536"},
		{REPSOptions{Freeze: -1}, "freeze: found -1ps, expected at least 0"},
		{FlowletsOptions{Gap: -1}, "gap: found -1ps, expected at least 0"},
	} {
		k := KindOf(c.spec)
		o := reflect.New(reflect.TypeOf(c.spec))
		o.Elem().Set(reflect.ValueOf(c.spec))
		if list := k.Check(o.Interface()); len(list) != 1 || list[0].Error() != c.want {
			t.Errorf("%+v: %v, expected %s", c.spec, list, c.want)
		}
	}
}
