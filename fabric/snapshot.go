package fabric

import (
	"fabricast/fabric/internal/core"
	"fabricast/internal/snapshot"
)

// Stateful is an Endpoint whose mutable state is saved and restored together with its block's.
// State visits that state.
type Stateful interface {
	State(v *snapshot.Visitor)
}

// Observed is a Stateful endpoint that can be observed. StateOfObservation visits the state of the
// observation, and State visits the rest.
type Observed interface {
	Stateful
	StateOfObservation(v *snapshot.Visitor)
}

// saver goes over the state of a block.
type saver struct {
	of   *Block
	runs []core.HostRun // of the block's hosts; nil before somebody has asked
	// VCs that stand for those of other blocks to which packets leave, on the fast path
	ghosts, countGhosts uint32
}

// State goes over all that changes during a run in the block and its endpoint: it implements
// engine.Stateful. The states of all blocks of a network, saved between the same windows, are one
// state of the network. Those of single blocks are not: a message's record belongs to the block that
// sent it, and the receiving block changes it.
func (s *saver) State(v *snapshot.Visitor) {
	messages := &s.of.nics.Messages
	before := messages.Used
	messages.State(v)
	messages.DivisionState(v, before)
	s.rest(v)
	s.observed(v)
}

// observed visits the state of an observation of the block and its endpoint.
func (s *saver) observed(v *snapshot.Visitor) {
	if s.of.observer != nil {
		s.of.observer.State(v)
	}
	if e, ok := s.of.nics.Endpoint.(Observed); ok {
		e.StateOfObservation(v)
	}
}

// rest visits the same state as State, except for messages and observations.
func (s *saver) rest(v *snapshot.Visitor) {
	b, x := s.of, s.extent()
	b.model.StateAt(v, x)
	b.model.StateOf(v, x)
	if e, ok := b.nics.Endpoint.(Stateful); ok {
		e.State(v)
	}
	if v.Restores() {
		b.publish()
	}
}

// Round returns the last round in which the block has run.
func (s *saver) Round() uint64 { return s.of.nics.Mail.Round }

// hostRuns returns the runs of consecutive hosts of a block.
func (s *saver) hostRuns() []core.HostRun {
	if s.runs == nil {
		s.runs = s.of.nics.Layout.HostRuns(s.of.nics.First, s.of.nics.First+s.of.nics.Count)
	}
	return s.runs
}

// changed discards cached data about the block's routers.
func (s *saver) changed() { s.runs, s.ghosts, s.countGhosts = nil, 0, 0 }

// takeGhost assigns a ghost FIFO to the block. Ghosts must be assigned in ascending order.
func (s *saver) takeGhost(ghost uint32) {
	if s.countGhosts == 0 {
		s.ghosts = ghost
	}
	s.countGhosts++
}

// extent returns the block's share of the arrays that are common to all blocks.
func (s *saver) extent() core.Extent {
	x := s.of.nics.Layout.Extent(s.of.nics.First, s.of.nics.Count, s.hostRuns())
	x.Ghosts, x.CountGhost = s.ghosts, s.countGhosts
	return x
}
