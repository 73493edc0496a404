package why

import (
	"cmp"
	"slices"

	"fabricast/record"
)

// WaitState is a kind of wait of ranks, in the terms of Scalasca.
type WaitState string

// The kinds of waits. The first ones are waits for a rank that is late; in the others nobody is.
const (
	LateSender    WaitState = "late-sender"     // the send has not been called yet
	LateReceiver  WaitState = "late-receiver"   // a rendezvous or synchronous send without a receive
	WaitAtBarrier WaitState = "wait-at-barrier" // like late-sender, for messages of barriers
	WaitAtNxN     WaitState = "wait-at-nxn"     // of collectives in which all ranks need data of all
	EarlyReduce   WaitState = "early-reduce"    // of collectives in which data flows towards one rank
	LateBroadcast WaitState = "late-broadcast"  // of collectives in which data flows from one rank

	Transfer  WaitState = "transfer"   // the message, or what a rendezvous sends, is on its way
	OwnNIC    WaitState = "own-nic"    // the rank's own NIC reads a message or cannot take one yet
	RMA       WaitState = "rma"        // one-sided operations, with the locks that they wait for
	WorkApart WaitState = "work-apart" // a computation that runs beside the rank's program
	NoiseWait WaitState = "noise"      // the wait has ended, but other processes have the processor
	OtherWait WaitState = "other"
)

// Waits sums the waits of all ranks.
type Waits struct {
	Total  int64       `json:"wait_ps"` // of all ranks together
	States []WaitShare `json:"states"`  // by descending time; their times sum to Total
	// Delays say who made others wait for late ranks, by descending time. Their times sum to those of
	// the states in which somebody is late.
	Delays []Delay `json:"delays"`
	// Imbalance is the computation on the critical path beyond the mean of all ranks, times the number
	// of ranks.
	Imbalance int64 `json:"imbalance_ps"`
}

// WaitShare is the time that ranks spend in one kind of wait.
type WaitShare struct {
	State WaitState `json:"state"`
	Time  int64     `json:"ps"`
	Waits int       `json:"waits"`
}

// waits divides the waits of all ranks. It goes over the steps in the order of their ends.
type waits struct {
	total  int64
	states map[WaitState]*WaitShare
	delays *delays
	late   *lateStarts
}

// findWaits divides the waits of all ranks of the run in a folder. It adds what the critical path
// of the run says about the imbalance.
func (p *Path) findWaits(folder *record.Reader) error {
	ranks, compute := 0, int64(0)
	for row, err := range record.Rows[record.Rank](folder, record.RanksTable) {
		if err != nil {
			return err
		}
		ranks++
		compute += row.Compute
	}
	t := &waits{
		states: map[WaitState]*WaitShare{}, delays: newDelays(ranks),
		late: newLateStarts(ranks),
	}
	for s, err := range record.Rows[record.Step](folder, record.StepsTable) {
		if err != nil {
			return err
		}
		t.take(&s)
	}
	p.Waits = &Waits{
		Total: t.total, States: t.list(), Delays: t.delays.list(),
		Imbalance: max(0, p.TimeOf(Compute)*int64(ranks)-compute),
	}
	p.LateStart = t.late.of(p)
	return nil
}

// TimeOf returns the time (ps) on the path with a cause.
func (p *Path) TimeOf(c Cause) int64 {
	for _, s := range p.Causes {
		if s.Cause == c {
			return s.Time
		}
	}
	return 0
}

// take adds a step.
func (t *waits) take(s *record.Step) {
	part := past{begin: s.Begin, end: s.End, doing: kindOf(s.State), from: -1}
	if s.Cause == record.CauseMessage || s.Cause == record.CauseRequest ||
		s.Cause == record.CauseData {
		part.from = s.Peer
	}
	if part.doing == waiting {
		t.wait(s, &part)
	}
	t.late.take(s, part.origins)
	t.delays.add(s.Rank, &part)
}

// wait divides a wait: a part in which another rank is late, then the rest, and noise at the end.
func (t *waits) wait(s *record.Step, part *past) {
	until := s.End - s.Noise
	state, late := lateness(s)
	late = max(s.Begin, min(late, until))
	if late > s.Begin {
		part.origins = t.delays.charge(s.Rank, s.Peer, s.Begin, late)
	}
	part.origins = append(part.origins, origin{delayKey{-1, doingNetwork}, s.End - late})
	t.count(state, late-s.Begin)
	t.count(restOf(s), until-late)
	t.count(NoiseWait, s.Noise)
	t.total += s.End - s.Begin
}

// lateness returns the kind of a wait for a late rank, and the time (ps) until which the rank was
// late.
func lateness(s *record.Step) (state WaitState, until int64) {
	switch s.Cause {
	case record.CauseMessage, record.CauseRequest:
		return stateOf(s), s.From
	case record.CauseData:
		if s.Late == 0 {
			return stateOf(s), s.From
		}
	case record.CauseMatch, record.CauseFetch:
		if s.Late != 0 {
			return LateReceiver, s.Via
		}
	}
	return OtherWait, 0
}

// restOf returns the kind of the part of a wait in which no rank is late.
func restOf(s *record.Step) WaitState {
	switch s.Cause {
	case record.CauseMessage, record.CauseRequest, record.CauseData, record.CauseMatch:
		return Transfer
	case record.CauseFetch:
		if s.Via > 0 {
			return Transfer
		}
		return OwnNIC
	case record.CauseTurn:
		return OwnNIC
	case record.CauseAccess:
		return RMA
	case record.CauseTimer:
		return WorkApart
	}
	return OtherWait
}

// stateOf returns the kind of wait for a late sender, by the collective of the message.
func stateOf(s *record.Step) WaitState {
	switch s.Collective {
	case "":
		return LateSender
	case "barrier":
		return WaitAtBarrier
	case "reduce", "gather":
		return EarlyReduce
	case "broadcast", "scatter":
		return LateBroadcast
	}
	return WaitAtNxN
}

func (t *waits) count(of WaitState, time int64) {
	if time <= 0 {
		return
	}
	if t.states[of] == nil {
		t.states[of] = &WaitShare{State: of}
	}
	t.states[of].Time += time
	t.states[of].Waits++
}

// list returns the kinds of waits by descending time.
func (t *waits) list() []WaitShare {
	list := []WaitShare{}
	for _, s := range t.states {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b WaitShare) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.State, b.State))
	})
	return list
}
