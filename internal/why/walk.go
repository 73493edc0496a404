package why

import (
	"fmt"
	"iter"

	"fabricast/fabric"
	"fabricast/record"
)

// walk goes backward over the steps of all ranks, which are in the order of their ends, and follows
// the critical path.
//
// The path only goes back in time. So the step of a rank that contains a time of the path is the
// one that has been read last of this rank, or will be read.
type walk struct {
	next     func() (record.Step, error, bool)
	stop     func()
	hosts    []int32
	last     []record.Step // by rank: the step that was read last; End is 0 if none
	sent     []span        // by rank: software time of the send that was read last
	segments []Segment     // from the end to the beginning
	ties     int

	// The following concern the rank that the path is on.
	rank  int32
	at    int64         // ps
	taken []record.Step // receives that the rank has completed since its last wait
}

// span is the software time of a send: from its call until its message may leave.
type span struct{ from, until int64 }

func newWalk(folder *record.Reader, ranks int) (*walk, error) {
	w := &walk{last: make([]record.Step, ranks), sent: make([]span, ranks)}
	for row, err := range record.Rows[record.Rank](folder, record.RanksTable) {
		if err != nil {
			return nil, err
		}
		w.hosts = append(w.hosts, row.Host)
	}
	if len(w.hosts) != ranks {
		return nil, fmt.Errorf("is damaged: %s has %d ranks, not %d", record.RanksTable,
			len(w.hosts), ranks)
	}
	for i := range w.sent {
		w.sent[i].from = -1
	}
	w.next, w.stop = iter.Pull2(record.RowsBackward[record.Step](folder, record.StepsTable))
	return w, nil
}

func (w *walk) close() { w.stop() }

// read reads one more step. It returns false if there is none.
func (w *walk) read() (bool, error) {
	s, err, ok := w.next()
	if !ok || err != nil {
		return false, err
	}
	if s.Peer >= int32(len(w.last)) || s.End <= s.Begin || s.Noise > s.End-s.Begin {
		return false, fmt.Errorf("%s is damaged: a step of rank %d", record.StepsTable, s.Rank)
	}
	w.last[s.Rank] = s
	if s.Cause == record.CauseSend && w.sent[s.Rank].from != s.From {
		w.sent[s.Rank] = span{s.From, s.End}
	}
	return true, nil
}

// reach reads steps until the last one of a rank begins before a time, or at that time.
func (w *walk) reach(rank int32, at int64) error {
	for w.last[rank].End == 0 || w.last[rank].Begin > at {
		if more, err := w.read(); !more {
			return err
		}
	}
	return nil
}

// find returns the step of the rank of the path that contains the time before that of the path. It
// returns false if the rank had not begun.
func (w *walk) find() (s record.Step, ok bool, err error) {
	for w.last[w.rank].End == 0 || w.last[w.rank].Begin >= w.at {
		more, err := w.read()
		if err != nil || !more {
			return s, false, err
		}
	}
	if s = w.last[w.rank]; s.End < w.at {
		return s, false, fmt.Errorf(
			"%s is damaged: it does not say what rank %d does from %d to %d ps", record.StepsTable, w.rank,
			s.End, w.at,
		)
	}
	return s, true, nil
}

// add adds a segment that lies before all others. Segments of one rank with the same cause are
// joined unless they concern messages.
func (w *walk) add(c Cause, rank int32, begin, end int64, m *Message) {
	if begin >= end {
		return
	}
	if n := len(w.segments); n > 0 && m == nil {
		if l := &w.segments[n-1]; l.Message == nil && l.Cause == c && l.Rank == rank && l.Begin == end {
			l.Begin = begin
			return
		}
	}
	w.segments = append(w.segments, Segment{Rank: rank, Cause: c, Begin: begin, End: end, Message: m})
}

// back follows the path from a time (ps) on the clock of a rank to the beginning.
func (w *walk) back(rank int32, at int64) error {
	w.rank, w.at = rank, at
	for w.at > 0 {
		s, ok, err := w.find()
		if err != nil {
			return err
		}
		if !ok {
			w.add(Start, w.rank, 0, w.at, nil)
			return nil
		}
		if quiet := s.End - s.Noise; quiet < w.at {
			w.add(Noise, w.rank, quiet, w.at, nil)
			if w.at = quiet; w.at <= s.Begin {
				continue
			}
		}
		if err := w.step(&s); err != nil {
			return err
		}
	}
	return nil
}

// step follows the path through a step of the rank.
func (w *walk) step(s *record.Step) error {
	switch s.State {
	case record.StateCompute:
		w.stay(Compute, s)
	case record.StateReceiveWait, record.StateWait:
		for i := range w.taken {
			if w.taken[i].Done == w.at {
				w.ties++
			}
		}
		w.ties -= min(1, w.ownTie(s))
		return w.follow(s)
	default:
		return w.software(s)
	}
	return nil
}

// ownTie returns 1 if the receive that ended a wait is among those that the rank has completed
// since.
func (w *walk) ownTie(s *record.Step) int {
	for i := range w.taken {
		if t := &w.taken[i]; t.Done == w.at && t.Cause == s.Cause && t.Peer == s.Peer &&
			t.From == s.From {
			return 1
		}
	}
	return 0
}

// stay adds the whole step.
func (w *walk) stay(c Cause, s *record.Step) {
	if c == Compute {
		w.taken = w.taken[:0]
	}
	w.add(c, w.rank, s.Begin, w.at, nil)
	w.at = s.Begin
}

// software follows the path through software time. Tests that fail are a wait: the path follows the
// message that the test found which succeeded.
func (w *walk) software(s *record.Step) error {
	switch s.Cause {
	case record.CauseSend:
		w.add(SendSoftware, w.rank, s.Begin, w.at, w.message(s, true))
		w.at = s.Begin
	case record.CauseMessage, record.CauseRequest, record.CauseData:
		w.add(ReceiveSoftware, w.rank, s.Begin, w.at, w.message(s, false))
		w.taken = append(w.taken, *s)
		w.at = s.Begin
	case record.CausePolling:
		for i := range w.taken {
			if found := w.taken[i]; found.Done > s.Begin && found.Done <= w.at {
				w.add(Polling, w.rank, found.Done, w.at, nil)
				w.at = found.Done
				return w.follow(&found)
			}
		}
		w.stay(Polling, s)
	default:
		w.stay(ReceiveSoftware, s)
	}
	return nil
}

// message returns the message that a step concerns. sends: the rank of the step has sent it.
func (w *walk) message(s *record.Step, sends bool) *Message {
	if s.Peer < 0 {
		return nil
	}
	m := &Message{
		Source: s.Peer, Destination: s.Rank, Tag: s.Tag, Bytes: s.Bytes, Send: s.From,
		Collective: s.Collective,
	}
	if sends {
		m.Source, m.Destination = m.Destination, m.Source
	}
	if from, to := w.hosts[m.Source], w.hosts[m.Destination]; from != to {
		m.Number = fabric.MessageNumber(from, to, m.Tag, m.Bytes, m.Send)
	}
	return m
}

// go to another rank, at a time on its clock.
func (w *walk) jump(rank int32, at int64) {
	w.rank, w.at, w.taken = rank, at, w.taken[:0]
}

// follow follows the path through a wait that has ended at the time of the path: to what ended it.
func (w *walk) follow(s *record.Step) error {
	if s.From > w.at || s.Via > w.at || s.Peer < 0 && s.Cause != record.CauseTimer &&
		s.Cause != record.CauseTurn &&
		s.Cause != record.CauseNone {
		return fmt.Errorf("%s is damaged: a wait of rank %d", record.StepsTable, s.Rank)
	}
	switch s.Cause {
	case record.CauseMessage:
		return w.sentBy(s.Peer, s, Network, w.message(s, false))
	case record.CauseRequest:
		return w.sentBy(s.Peer, s, Request, w.message(s, false))
	case record.CauseData:
		return w.answered(s, s.Rank, s.Peer, w.message(s, false))
	case record.CauseFetch:
		if m := w.message(s, true); s.Via > 0 {
			return w.answered(s, s.Peer, s.Rank, m)
		} else {
			return w.sentBy(s.Rank, s, NICRead, m)
		}
	case record.CauseMatch:
		m := w.message(s, true)
		if s.Late == 0 {
			return w.sentBy(s.Rank, s, Match, m)
		}
		w.add(Match, w.rank, s.Via, w.at, m)
		w.jump(s.Peer, s.Via)
	case record.CauseAccess:
		return w.sentBy(s.Rank, s, OneSided, w.message(s, true))
	case record.CauseTimer:
		w.add(Compute, w.rank, s.From, w.at, nil)
		w.jump(w.rank, s.From)
	case record.CauseTurn:
		w.stay(NICTurn, s)
	default:
		w.stay(Unknown, s)
	}
	return nil
}

// sentBy goes to the call of a send: through what happened to the message since it may have left,
// and the software time of the send.
func (w *walk) sentBy(sender int32, s *record.Step, c Cause, m *Message) error {
	if m.Number == 0 && c == Network {
		c = Local
	}
	if err := w.reach(sender, s.From); err != nil {
		return err
	}
	left := s.From
	if of := w.sent[sender]; of.from == s.From {
		left = min(of.until, w.at)
	}
	w.add(c, w.rank, left, w.at, m)
	if left < w.at && (s.State == record.StateWait || s.State == record.StateReceiveWait) {
		w.segments[len(w.segments)-1].waited = w.at - s.Begin
	}
	w.add(SendSoftware, sender, s.From, left, m)
	w.jump(sender, s.From)
	return nil
}

// answered goes back through a rendezvous: to the posting of the receive if the request waited for
// it, otherwise to the call of the send.
func (w *walk) answered(s *record.Step, receiver, sender int32, m *Message) error {
	w.add(Data, w.rank, s.Via, w.at, m)
	w.at = s.Via
	if s.Late != 0 {
		w.jump(receiver, s.Via)
		return nil
	}
	w.rank = receiver
	return w.sentBy(sender, s, Request, m)
}
