package routing

import (
	"fmt"
	"math/bits"
)

// Renewed is an adaptive algorithm of which packets take other routes if they start after certain times. The
// fabric calls StartEpoch in place of StartPacket for packets that leave their NICs after the first of them.
type Renewed interface {
	Adaptive
	// Base returns the algorithm of packets that leave before.
	Base() Adaptive
	// Epochs returns the number of times, each the beginning of an epoch. The first has number 1.
	Epochs() int
	// StartEpoch is StartPacket in an epoch. renewed reports whether the packet takes other routes than those
	// of StartPacket.
	StartEpoch(epoch int, src, dst int32, coin uint64) (header uint64, vc uint8, renewed bool)
}

// renewed is an algorithm of which packets of some epochs use others. The highest bits of their headers say
// which: 0 is the base.
type renewed struct {
	base   Adaptive
	eras   eras
	epochs []int // by epoch, from 1 on: its era, from 1 on; 0: the base
	shift  uint8 // where the number of the era begins in a header
}

// NewRenewed returns an algorithm of which packets of epoch i use algorithm epochs[i-1] of eras, counted from
// 1; 0 is the base. Of the headers of all eras, the highest RenewedBits(len(eras)) bits must be 0. It fails
// if those of the base are not.
func NewRenewed(base Adaptive, around []*Around, epochs []int) (Renewed, error) {
	spare := RenewedBits(len(around))
	switch have := spareBits(base); {
	case have < 0:
		return nil, fmt.Errorf("packets of %s cannot be led round links from afar", base.Name())
	case have < spare:
		return nil, fmt.Errorf(
			"%d bits of a route header of %s are free, and %d are needed for the links that are down",
			have, base.Name(), spare,
		)
	}
	r := &renewed{base: base, eras: around, epochs: epochs, shift: uint8(64 - spare)}
	steady, isSteady := base.(Steady)
	informed, isInformed := base.(Informed)
	switch {
	case isSteady && isInformed:
		return informedSteadyRenewed{steadyRenewed{r, steady}, informed}, nil
	case isSteady:
		return steadyRenewed{r, steady}, nil
	case isInformed:
		return informedRenewed{r, informed}, nil
	}
	return r, nil
}

// RenewedBits returns how many bits of a route header tell which of a number of algorithms a packet uses,
// other than the base.
func RenewedBits(eras int) int { return bits.Len(uint(eras)) }

// TogetherAdaptively returns one algorithm that stands for the packets of several in the check for deadlock.
func TogetherAdaptively(around []*Around) Adaptive { return eras(around) }

// spareBits returns how many of the highest bits of an algorithm's route headers are 0; below 0 if that is
// not known.
func spareBits(a Adaptive) int {
	switch a := a.(type) {
	case *MinimalAdaptive:
		return a.address.Spare()
	case Spreading:
		return a.address.Spare()
	case *UGAL:
		return a.address.Spare()
	case UGALG:
		return a.address.Spare()
	case *Zone:
		return a.address.Spare()
	}
	return -1
}

// Name implements Algorithm.
func (r *renewed) Name() string { return r.base.Name() }

// StartPacket implements Adaptive.
func (r *renewed) StartPacket(src, dst int32, coin uint64) (uint64, uint8) {
	return r.base.StartPacket(src, dst, coin)
}

// Base implements Renewed.
func (r *renewed) Base() Adaptive { return r.base }

// Epochs implements Renewed.
func (r *renewed) Epochs() int { return len(r.epochs) }

// StartEpoch implements Renewed.
func (r *renewed) StartEpoch(epoch int, src, dst int32, coin uint64) (header uint64, vc uint8, renewed bool) {
	era := r.epochs[epoch-1]
	if era == 0 {
		header, vc = r.base.StartPacket(src, dst, coin)
		return header, vc, false
	}
	header, vc = r.eras[era-1].StartPacket(src, dst, coin)
	return header | uint64(era)<<r.shift, vc, true
}

// Candidates implements Adaptive.
func (r *renewed) Candidates(router int32, header uint64, v View, to []Candidate) []Candidate {
	era := header >> r.shift
	if era == 0 {
		return r.base.Candidates(router, header, v, to)
	}
	first := len(to)
	to = r.eras[era-1].Candidates(router, header&(1<<r.shift-1), v, to)
	for i := first; i < len(to); i++ {
		to[i].Header |= era << r.shift
	}
	return to
}

// steadyRenewed is renewed with a steady base.
type steadyRenewed struct {
	*renewed
	steady Steady
}

// Offer implements Steady. It offers no ports to packets that do not use the base.
func (r steadyRenewed) Offer(router int32, header uint64, scratch []Candidate, o *Options) {
	if header>>r.shift == 0 {
		r.steady.Offer(router, header, scratch, o)
		return
	}
	o.Ports = 0
}

// Resort implements Steady.
func (r steadyRenewed) Resort(router int32, header uint64) (port, vc uint16) {
	return r.steady.Resort(router, header)
}

// informedRenewed is renewed with a base that needs a GlobalView.
type informedRenewed struct {
	*renewed
	informed Informed
}

// Interval implements Informed.
func (r informedRenewed) Interval() int64 { return r.informed.Interval() }

// informedSteadyRenewed is renewed with a steady base that needs a GlobalView.
type informedSteadyRenewed struct {
	steadyRenewed
	informed Informed
}

// Interval implements Informed.
func (r informedSteadyRenewed) Interval() int64 { return r.informed.Interval() }
