package fabric_test

import (
	"errors"
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
	"fabricast/routing"
)

// mislead is routing that sends the packets from one NIC to another to a third.
type mislead struct{ src, dst, to int32 }

func (m mislead) end(src, dst int32) int32 {
	if src == m.src && dst == m.dst {
		return m.to
	}
	return dst
}

type misleadFunction struct {
	mislead
	routing.Function
}

func (m misleadFunction) Start(src, dst int32) (uint64, uint8) {
	return m.Function.Start(src, m.end(src, dst))
}

type misleadRandomized struct {
	mislead
	routing.Randomized
}

func (m misleadRandomized) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return m.Randomized.StartPacket(src, m.end(src, dst), coin)
}

type misleadAdaptive struct {
	mislead
	routing.Adaptive
}

func (m misleadAdaptive) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return m.Adaptive.StartPacket(src, m.end(src, dst), coin)
}

type misleadInformed struct {
	misleadAdaptive
	interval int64
}

func (m misleadInformed) Interval() int64 { return m.interval }

// misled returns a specification in which the packets of a message go astray.
func misled(spec fabric.Spec, m mislead) fabric.Spec {
	switch of := spec.Routing.(type) {
	case nil:
		by := misleadAdaptive{m, spec.Adaptive}
		if of, ok := spec.Adaptive.(routing.Informed); ok {
			spec.Adaptive = misleadInformed{by, of.Interval()}
		} else {
			spec.Adaptive = by
		}
	case routing.Randomized:
		spec.Routing = misleadRandomized{m, of}
	default:
		spec.Routing = misleadFunction{m, of}
	}
	return spec
}

// TestAstray: a packet that arrives at another NIC than its own is a broken invariant, in every kind
// of experiment and in every build.
func TestAstray(t *testing.T) {
	f := func(seed uint64, d draw, path newNetwork) {
		t.Helper()
		e := d(seed)
		nics := int32(e.Hosts() * e.NICs)
		first := e.Messages[0] // which waits for no other
		if e.Unsafe || nics == 1 {
			return // it may be stuck on its way, or has nowhere to stray to
		}
		to := (first.Dst + 1 + int32(seed)%(nics-1)) % nics
		astray := func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
			return path(misled(spec, mislead{first.Src, first.Dst, to}), blocks)
		}
		_, err := simulate(e, int(seed%4)+1, int(seed/4%2)+1, astray)
		if broken := (*fabric.Broken)(nil); !errors.As(err, &broken) {
			t.Fatalf(
				"seed %d: packets from NIC %d to %d arrive at %d: %v\n%v",
				seed, first.Src, first.Dst, to, err, e,
			)
		}
	}
	seeds := uint64(60)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		f(seed, experiments.Draw, fabric.New)
		f(seed, experiments.Draw, fabric.NewGeneral)
		f(seed, experiments.DrawGeneral, fabric.New)
		f(seed, experiments.DrawShaped, fabric.New)
		f(seed, experiments.DrawClassed, fabric.New)
	}
}
