package ethernet

import (
	"testing"

	"fabricast/ethernet/control"
	"fabricast/internal/units"
)

// TestSharesOfClasses: of two NICs whose messages meet at a port, in classes with quanta of 1 and 3
// packets, that with the greater has three quarters of the link until it is done. With a greater
// priority it has nearly all of it.
func TestSharesOfClasses(t *testing.T) {
	const size, rate = 1_000_000, 12_500_000_000
	for _, c := range []struct {
		name        string
		classes     []Class
		first, last float64 // times of a message alone until that of class 1 and of class 0 have come
	}{
		{"round robin", []Class{{Quantum: 4150}, {Quantum: 3 * 4150}}, 4. / 3, 2},
		{"equal", []Class{{Quantum: 4150}, {Quantum: 4150}}, 2, 2},
		{"strict", []Class{{Quantum: 4150}, {Quantum: 4150, Priority: 1}}, 1, 2},
	} {
		spec := ultra(t, 4, kindOf(t, &control.NoneOptions{}))
		spec.Switch = Switch{
			Shared: &Shared{Size: 1 << 20, Alpha: units.Whole >> 4, Pauses: true}, Classes: c.classes, HeadersInRow: 100,
		}
		spec.NIC.Timeout = -1
		_, _, got := simulate(t, spec, []flow{{2, 0, size, 0, 1}, {1, 0, size, 0, 0}}, 1)
		alone := float64(size) * 4150 / 4086 / rate * 1e12
		for i, want := range []float64{c.first, c.last} {
			if is := float64(got[i]) / alone; is < want-0.01 || is > want+0.07 {
				t.Errorf("%s: message %d has come after %.3f times the time of one alone, expected %.3f", c.name, i, is, want)
			}
		}
	}
}

// TestPausesOfClasses: a class that is paused does not hold up another one of the same NIC.
func TestPausesOfClasses(t *testing.T) {
	spec := ultra(t, 4, kindOf(t, &control.NoneOptions{}))
	spec.Switch = Switch{
		Shared:       &Shared{Size: 1 << 20, Alpha: units.Whole >> 10, Reserve: 2 * 4150, Pauses: true},
		Classes:      []Class{{Quantum: 4150}, {Quantum: 4150}},
		HeadersInRow: 100,
	}
	spec.NIC.Timeout = -1
	var flows []flow
	for src := int32(4); src < 16; src++ { // an incast, which pauses all of its senders
		flows = append(flows, flow{src, 0, 400_000, 0, 0})
	}
	victim := flow{4, 9, 4_000, 100_000_000, 1}
	n, _, got := simulate(t, spec, append(flows, victim), 1)
	by := n.ByClass()
	if by[0].Pauses == 0 || by[1].Pauses > 0 {
		t.Errorf("the classes were paused %d and %d times", by[0].Pauses, by[1].Pauses)
	}
	classed := got[len(flows)] - victim.start
	spec.Switch.Classes = nil
	_, _, got = simulate(t, spec, append(flows, victim), 1)
	if together := got[len(flows)] - victim.start; together < 3*classed {
		t.Errorf("a message took %d ps in a class of its own, %d ps in that of the incast", classed, together)
	}
}

// TestWrongClasses: specifications of classes that cannot be simulated are refused.
func TestWrongClasses(t *testing.T) {
	for _, classes := range [][]Class{
		{{Quantum: 0}}, {{Quantum: 1, Queue: 4149}}, make([]Class, MostClasses+1),
	} {
		spec := ultra(t, 4, kindOf(t, &control.NoneOptions{}))
		spec.Switch.Classes = classes
		if _, err := New(spec, 1); err == nil {
			t.Errorf("%+v are accepted", classes)
		}
	}
}
