package deadlock_test

import (
	"errors"
	"testing"

	"fabricast/routing"
	"fabricast/routing/deadlock"
)

// hiddenFault says of its routes what dimension order does, and sends packets the way of
// roundTheRing, for ever.
type hiddenFault struct {
	roundTheRing
	routing.Outliner
}

func (h hiddenFault) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	port, vc, _ = h.roundTheRing.Next(router, 1)
	return port, vc, header
}

// deadEnd outlines routes that end before their destination.
type deadEnd struct{ routing.Outliner }

func (deadEnd) Name() string                                      { return "dead end" }
func (deadEnd) Start(int32, int32) (uint64, uint8)                { return 0, 0 }
func (deadEnd) Next(int32, uint64) (port, vc uint16, next uint64) { return 0, 0, 0 }
func (d deadEnd) OutlineSteps(router int32, outline uint64, to []routing.Candidate) []routing.Candidate {
	if router == 2 {
		return to
	}
	return d.Outliner.OutlineSteps(router, outline, to)
}

// TestRoutesArrive: routes that end too early, and packets that do not do what their algorithm says
// of them, are found.
func TestRoutesArrive(t *testing.T) {
	torus := ring(t, 5)
	minimal, err := routing.NewMinimal(torus, "minimal", 2, routing.ChoiceFlow)
	if err != nil {
		t.Fatal(err)
	}
	var stray *deadlock.RouteError
	if _, err := deadlock.Check(torus.Graph(), deadEnd{minimal.(routing.Outliner)}, deadlock.Options{VCs: 2}); !errors.As(
		err,
		&stray,
	) {
		t.Errorf("routes that end at router 2: %v", err)
	}
	fault := hiddenFault{roundTheRing{5, 2}, minimal.(routing.Outliner)}
	if _, err := deadlock.Check(torus.Graph(), fault, deadlock.Options{VCs: 2}); err != nil {
		t.Errorf("what the algorithm says of its routes is right: %v", err)
	}
	if err := deadlock.Follow(torus.Graph(), fault); !errors.As(err, &stray) {
		t.Errorf("packets that go round: %v", err)
	}
	for _, right := range []routing.Algorithm{minimal, roundTheRing{5, 2}} {
		if err := deadlock.Follow(torus.Graph(), right); err != nil {
			t.Error(err)
		}
	}
}
