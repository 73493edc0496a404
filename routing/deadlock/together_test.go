package deadlock_test

import (
	"errors"
	"testing"

	"fabricast/routing"
	"fabricast/routing/deadlock"
)

// halfRing sends everything upward round a ring of five, but for routes across the link out of one router,
// which go down.
type halfRing struct{ cut int32 }

func (halfRing) Name() string { return "half a ring" }

func (halfRing) Start(_, dst int32) (uint64, uint8) { return uint64(dst), 0 }

func (h halfRing) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	place := func(r int32) int32 { return (r - h.cut + 4) % 5 } // on the line that begins behind the cut
	switch to := place(int32(header)); {
	case to == place(router):
		return 2, 0, header
	case to > place(router):
		return 0, 0, header
	}
	return 1, 0, header
}

// TestTogether: each of two algorithms is free of deadlock, but the links that they leave out differ, so
// that packets of both go all round the ring.
func TestTogether(t *testing.T) {
	g := ring(t, 5).Graph()
	o := deadlock.Options{VCs: 1}
	for _, cut := range []int32{4, 2} {
		if err := deadlock.Together(g, []routing.Function{halfRing{cut}, halfRing{cut}}, o); err != nil {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	err := deadlock.Together(g, []routing.Function{halfRing{4}, halfRing{2}}, o)
	var cycle *deadlock.CycleError
	if !errors.As(err, &cycle) || len(cycle.Cycle) != 5 {
		t.Errorf("got %v, want a cycle round the ring", err)
	}
	if err := deadlock.Together(g, []routing.Function{halfRing{4}, halfRing{2}}, deadlock.Options{VCs: 1, Steps: 1}); err == nil {
		t.Error("no error although few routes are checked")
	}
}
