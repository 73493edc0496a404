package routing_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fabricast/routing"
	"fabricast/routing/deadlock"
)

// plainFunction, plainRandomized and plainAdaptive hide that an algorithm outlines its
// routes, so that its packets are walked one by one.
type (
	plainFunction   struct{ routing.Function }
	plainRandomized struct{ routing.Randomized }
	plainAdaptive   struct{ routing.Adaptive }
)

func plain(algorithm routing.Algorithm) routing.Algorithm {
	switch a := algorithm.(type) {
	case routing.Adaptive:
		return plainAdaptive{a}
	case routing.Randomized:
		return plainRandomized{a}
	default:
		return plainFunction{a.(routing.Function)}
	}
}

// TestFreeOfDeadlock: every algorithm with its least number of virtual channels,
// and with more, passes the check, by its outlines and packet by packet.
func TestFreeOfDeadlock(t *testing.T) {
	for _, c := range combinations {
		t.Run(c.name, func(t *testing.T) {
			for _, vcs := range []int{c.least, c.least + 1} {
				net, algorithm := c.build(t, vcs)
				report, err := deadlock.Check(net.Graph(), algorithm, deadlock.Options{VCs: vcs})
				if err != nil || report.Destinations != report.Of {
					t.Fatalf("with %d VCs: %v, %v", vcs, report, err)
				}
				if _, err = deadlock.Check(net.Graph(), plain(algorithm), deadlock.Options{VCs: vcs, Steps: 1 << 22}); err != nil {
					t.Fatalf("packet by packet with %d VCs: %v", vcs, err)
				}
			}
		})
	}
}

// fewer is an algorithm squeezed into fewer channels than it needs, which its
// constructor would refuse: the highest two of its channels are one, or (with
// escape channels, which are the first) the lowest two.
type fewer struct {
	any
	vcs uint16
	low bool
}

func (f fewer) Name() string { return "squeezed" }

func (f fewer) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	switch a := f.any.(type) {
	case routing.Randomized:
		return a.StartPacket(src, dst, coin)
	case routing.Adaptive:
		return a.StartPacket(src, dst, coin)
	}
	return f.any.(routing.Function).Start(src, dst)
}

func (f fewer) Candidates(
	router int32,
	header uint64,
	v routing.View,
	to []routing.Candidate,
) []routing.Candidate {
	first := len(to)
	if a, ok := f.any.(routing.Adaptive); ok {
		to = a.Candidates(router, header, v, to)
	} else {
		port, vc, next := f.any.(routing.Function).Next(router, header)
		to = append(to, routing.Candidate{Port: port, VC: vc, Header: next})
	}
	for i := first; i < len(to); i++ {
		if f.low {
			to[i].VC -= min(to[i].VC, 1)
		} else {
			to[i].VC = min(to[i].VC, f.vcs-1)
		}
	}
	return to
}

// oneMoreThanNeeded are algorithms that ask for one channel more than is needed on the networks
// here: the last two classes of these hierarchies could be one; on a fully connected network every
// way is one hop; what both classes of dimension order share is for speed only; and the adaptive
// channels of some networks have no circles by themselves.
var oneMoreThanNeeded = []string{
	"minimal/hierarchy-crossed", "minimal/hierarchy-hosted", "adaptive/full", "adaptive/dragonfly+", "adaptive/hierarchy-hosted", "adaptive/hierarchy-nested",
	"dor/torus-shared", "dor/ring-shared-classic", "dor/mixed-shared",
}

// withoutCircles are algorithms whose channels have no circles, those that are no escape channels
// included.
var withoutCircles = []string{
	"adaptive/full",
	"adaptive/hyperx",
	"adaptive/dragonfly+",
	"adaptive/hierarchy-hosted",
	"staying/hyperx",
}

// TestTooFewVCsDeadlock: with two classes of channels made one, the check finds a
// circle.
func TestTooFewVCsDeadlock(t *testing.T) {
	for _, c := range combinations {
		if c.least == 1 || slices.Contains(oneMoreThanNeeded, c.name) {
			continue
		}
		net, algorithm := c.build(t, c.least)
		escapes := strings.HasPrefix(c.name, "adaptive") || strings.HasPrefix(c.name, "staying") ||
			strings.HasPrefix(c.name, "zone")
		_, err := deadlock.Check(
			net.Graph(),
			fewer{algorithm, uint16(c.least - 1), escapes},
			deadlock.Options{VCs: c.least - 1, Steps: 1 << 24},
		)
		var cycle *deadlock.CycleError
		if !errors.As(err, &cycle) {
			t.Errorf("%s with a class less: %v", c.name, err)
		}
	}
}

// TestIndirect: the escape channels of minimal adaptive and zone routing are
// free of circles even with the dependencies that only wormhole switching has.
func TestIndirect(t *testing.T) {
	for _, c := range combinations {
		net, algorithm := c.build(t, c.least)
		if _, ok := algorithm.(*routing.MinimalAdaptive); !ok && c.name != "zone/torus-masks" {
			continue
		}
		report, err := deadlock.Check(net.Graph(), algorithm, deadlock.Options{VCs: c.least, Indirect: true})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if !slices.Contains(withoutCircles, c.name) && !report.Escape {
			t.Errorf("%s: %v", c.name, report)
		}
	}
}
