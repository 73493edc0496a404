package core

import (
	"errors"
	"fmt"

	"fabricast/fabric/model"
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// Shares divides resources (outputs, links or NICs) among the classes of a network: by strict
// priority, and among those of one priority by weight.
//
// Weights are kept by start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996). The lag of a
// class is its start tag minus the virtual time of its priority, which is the start tag of the
// packet that was granted last. The class with the least lag comes first. When it is granted, the
// virtual time advances by its lag, and its own tag by what it sends over its weight.
type Shares struct {
	Lags    Array[int64] // of each resource and class; empty: no class has a lag
	classes []model.Class
	ranks   []int64 // by class: its rank without lag
}

// shareUnit is what a flit adds to the lag of a class of weight 1.
const shareUnit = 1 << 20

// priorityStep separates the ranks of two priorities: no lag is as great.
const priorityStep = 1 << 44

// ReserveShares allocates the lags of so many resources, if classes share by weight.
func ReserveShares(a *offheap.Arena, l *Layout, resources int) (lags Array[int64], err error) {
	if SharesByWeight(&l.Spec) {
		err = lags.Reserve(a, resources*len(l.Spec.Router.Classes))
	}
	return lags, err
}

// SharesByWeight reports whether resources have lags. With adaptive routing, where the output of a
// packet is chosen after its turn has come, they have none.
func SharesByWeight(s *model.Spec) bool { return len(s.Router.Classes) > 0 && s.Adaptive == nil }

// NewShares returns the shares of resources with the given lags.
func NewShares(l *Layout, lags Array[int64]) Shares {
	s := Shares{Lags: lags, classes: l.Spec.Router.Classes}
	for _, c := range s.classes {
		s.ranks = append(s.ranks, -int64(c.Priority)*priorityStep)
	}
	return s
}

// WalkLags visits the lags of some resources.
func WalkLags(v *snapshot.Visitor, lags Array[int64], first, count uint32, s *model.Spec) {
	if n := uint32(len(s.Router.Classes)); lags.N > 0 {
		snapshot.Values(v, lags.Slice(first*n, count*n))
	}
}

// Rank returns the rank of a class at a resource: the lowest comes first.
func (s *Shares) Rank(resource, class uint32) int64 {
	if s.Lags.N == 0 {
		return s.ranks[class]
	}
	return s.ranks[class] + *s.Lags.At(resource*uint32(len(s.classes)) + class)
}

// Grant records that a class sends a packet through a resource.
func (s *Shares) Grant(resource, class, flits uint32) {
	if s.Lags.N == 0 {
		return
	}
	first, own := resource*uint32(len(s.classes)), &s.classes[class]
	passed := *s.Lags.At(first + class)
	for i := range s.classes {
		if s.classes[i].Priority == own.Priority {
			lag := s.Lags.At(first + uint32(i))
			*lag = max(0, *lag-passed)
		}
	}
	*s.Lags.At(first + class) = int64(flits) * shareUnit / int64(own.Weight)
}

// BaseOf returns the first virtual channel of a class of messages; messages of greater classes than
// there are belong to the last.
func (l *Layout) BaseOf(class uint8) uint32 {
	if !l.Classed {
		return 0
	}
	return l.SetOf(class) * l.SetVCs
}

// ArmsNICsAgain reports whether the timers of NICs can be set again while they are set.
func (l *Layout) ArmsNICsAgain() bool { return l.Spec.Doors != nil || l.Classed }

// SetOf returns the class to whose virtual channels a class of messages belongs.
func (l *Layout) SetOf(class uint8) uint32 {
	return min(uint32(class), uint32(len(l.Spec.Router.Classes))-1)
}

// checkClasses returns an error if the network cannot have its classes.
func checkClasses(s *model.Spec) error {
	r := &s.Router
	n := len(r.Classes)
	switch {
	case n == 0:
		return nil
	case n > model.MostClasses:
		return fmt.Errorf("classes: %d are more than %d", n, model.MostClasses)
	case r.VCs%n != 0:
		return fmt.Errorf("classes: %d do not have equally many of %d virtual channels", n, r.VCs)
	case r.Allocation == model.SeparateAllocation:
		return errors.New("classes: not with separate allocation")
	case s.ChoosesPackets() || SharesBus(s):
		return errors.New("classes: not with NICs that choose messages or share an I/O bus")
	case s.Doors != nil:
		return errors.New("classes: not with doors")
	case s.Adaptive != nil && r.Weighs():
		return errors.New("classes: no weights with adaptive routing")
	}
	for i, c := range r.Classes {
		if c.Priority < 0 || c.Priority > 255 || c.Weight < 1 || c.Weight > 10_000 {
			return fmt.Errorf("classes: class %d has priority %d and weight %d", i, c.Priority, c.Weight)
		}
	}
	return nil
}

// ReserveNICShares is like ReserveShares, for NICs, which know the output of each packet.
func ReserveNICShares(a *offheap.Arena, l *Layout) (lags Array[int64], err error) {
	if l.Classed {
		err = lags.Reserve(a, len(l.Spec.Graph.NICPort)*len(l.Spec.Router.Classes))
	}
	return lags, err
}
