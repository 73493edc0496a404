package replay

import (
	"encoding/binary"
	"errors"
	"io"

	"fabricast/internal/units"
	"fabricast/node"
)

// In a run with checkpoints, a Recorder also stores the recorded events (calls of node.Log) in
// pieces. A piece has events of one rank. It contains the rank and, for each event, the kind, the
// rank's clock and the arguments, as varints. When the run is resumed, the Recorder reads these
// events again.

// Kinds of events.
const (
	eventComputed = iota
	eventSpent
	eventSent
	eventGet
	eventPut
	eventPosted
	eventCancelled
	eventTimed
	eventWaited
	eventReceived
	eventEntered
	eventProbed
	eventSkipped
)

// Limits, in bytes, of the events in memory: for all ranks, and the minimum and maximum for a rank.
const (
	mostKept  = 64 << 20
	leastKept = 512
	pieceKept = 64 << 10
)

// keeper is the destination of the stored events of a Recorder.
type keeper struct {
	flush   func(events []byte)
	resumes bool // the run is resumed, and Again has not been called
}

// Keep makes the Recorder pass pieces of events to flush, which may be called by several
// goroutines. resumes means that the run is resumed: then Again must be called with the pieces of
// the earlier run. Keep must be called before the run.
func (r *Recorder) Keep(flush func(events []byte), resumes bool) {
	r.keeper = &keeper{flush: flush, resumes: resumes}
}

// FlushKept flushes the remaining events of all ranks. No rank may be running.
func (r *Recorder) FlushKept() {
	for _, k := range r.kept {
		if k != nil {
			k.flush()
		}
	}
}

// errLeft is the error of Again if the run was interrupted before or during the restoration.
var errLeft = errors.New("the run was interrupted before it had begun")

// Again restores the state that the Recorder had at the checkpoint from which the run is resumed.
// next returns the flushed pieces, including those for ranks of other processes, and then io.EOF.
func (r *Recorder) Again(w *node.World, next func() ([]byte, error)) error {
	r.restoring.Lock()
	defer r.restoring.Unlock()
	if r.left {
		return errLeft
	}
	r.keeper.resumes = false
	r.logs = make([]*log, w.Ranks())
	if r.err = r.fits(w); r.err == nil {
		r.open(func(group int32) []int32 { return w.Members(int(group)) })
	}
	if r.err != nil {
		return r.err
	}
	clocks := make([]func() int64, w.Ranks())
	w.Logs(func(rank int, clock func() int64) node.Log {
		r.logs[rank], clocks[rank] = &log{into: r.into, rank: rank, world: w}, clock
		return r.keeping(r.logs[rank])
	})
	for {
		piece, err := next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = r.hear(piece)
		}
		if err != nil {
			return err
		}
	}
	for rank, l := range r.logs {
		if l != nil {
			l.clock = clocks[rank]
		}
	}
	return nil
}

// keeping returns the node.Log to install for log l. In a run with checkpoints, it also stores the
// events.
func (r *Recorder) keeping(l *log) node.Log {
	if r.keeper == nil {
		return l
	}
	if r.kept == nil {
		r.kept = make([]*keptLog, len(r.logs))
	}
	k := &keptLog{
		log: l, keeper: r.keeper, most: max(leastKept, min(pieceKept, mostKept/len(r.logs))),
	}
	r.kept[l.rank] = k
	return k
}

// keptLog is a log that also stores the events as pieces.
type keptLog struct {
	*log
	keeper *keeper
	most   int // maximum size of events in bytes
	events []byte
}

func (k *keptLog) flush() {
	if len(k.events) > 0 {
		k.keeper.flush(k.events)
		k.events = k.events[:0]
	}
}

// note stores an event with the given arguments.
func (k *keptLog) note(kind byte, numbers ...int64) {
	if len(k.events) >= k.most {
		k.flush()
	}
	if len(k.events) == 0 {
		k.events = binary.AppendUvarint(k.events, uint64(k.rank))
	}
	k.events = binary.AppendVarint(append(k.events, kind), k.clock())
	for _, n := range numbers {
		k.events = binary.AppendVarint(k.events, n)
	}
}

// Computed implements node.Log.
func (k *keptLog) Computed(d int64) {
	k.note(eventComputed, d)
	k.log.Computed(d)
}

// Spent implements node.Log.
func (k *keptLog) Spent(d int64) {
	k.note(eventSpent, d)
	k.log.Spent(d)
}

// Sent implements node.Log.
func (k *keptLog) Sent(q node.Request, m *node.Outgoing) {
	k.outgoing(eventSent, q, m)
	k.log.Sent(q, m)
}

func (k *keptLog) outgoing(kind byte, q node.Request, m *node.Outgoing) {
	o := &m.Options
	k.note(
		kind, int64(q.ID), int64(m.Dst), int64(m.Tag), int64(m.Context), int64(m.Size),
		int64(o.NIC), int64(o.Gap), int64(o.Protocol), int64(o.Copies),
	)
}

// Accessed implements node.Log.
func (k *keptLog) Accessed(q node.Request, get bool, m *node.Outgoing) {
	kind := byte(eventPut)
	if get {
		kind = eventGet
	}
	k.outgoing(kind, q, m)
	k.log.Accessed(q, get, m)
}

// Posted implements node.Log.
func (k *keptLog) Posted(q node.Request, source, tag, context int32) {
	k.note(eventPosted, int64(q.ID), int64(source), int64(tag), int64(context))
	k.log.Posted(q, source, tag, context)
}

// Cancelled implements node.Log.
func (k *keptLog) Cancelled(q node.Request) {
	k.note(eventCancelled, int64(q.ID))
	k.log.Cancelled(q)
}

// Timed implements node.Log.
func (k *keptLog) Timed(q node.Request, d int64) {
	k.note(eventTimed, int64(q.ID), d)
	k.log.Timed(q, d)
}

// Waited implements node.Log.
func (k *keptLog) Waited(requests ...node.Request) {
	k.note(eventWaited, int64(len(requests)))
	for _, q := range requests {
		k.events = binary.AppendVarint(k.events, int64(q.ID))
	}
	k.log.Waited(requests...)
}

// Received implements node.Log.
func (k *keptLog) Received(m *node.Incoming) {
	k.note(eventReceived, int64(m.Source), int64(m.Tag), int64(m.Context), int64(m.Size))
	k.log.Received(m)
}

// Entered implements node.Log.
func (k *keptLog) Entered() {
	k.note(eventEntered)
	k.log.Entered()
}

// Probed implements node.Log.
func (k *keptLog) Probed(source, tag, context int32) {
	k.note(eventProbed, int64(source), int64(tag), int64(context))
	k.log.Probed(source, tag, context)
}

// Skipped implements node.Log.
func (k *keptLog) Skipped(what string) {
	k.note(eventSkipped, int64(len(what)))
	k.events = append(k.events, what...)
	k.log.Skipped(what)
}

var errEvents = errors.New("found events of a trace that cannot be read, expected those of this run")

// eventReader decodes a piece of events.
type eventReader struct {
	rest  []byte
	wrong bool
}

func (e *eventReader) number() int64 {
	n, size := binary.Varint(e.rest)
	if size <= 0 {
		e.wrong, e.rest = true, nil
		return 0
	}
	e.rest = e.rest[size:]
	return n
}

func (e *eventReader) small() int32          { return int32(e.number()) }
func (e *eventReader) request() node.Request { return node.Request{ID: uint32(e.number())} }

// outgoing decodes the arguments that keptLog.outgoing has encoded.
func (e *eventReader) outgoing() (q node.Request, m *node.Outgoing) {
	q = e.request()
	m = &node.Outgoing{Dst: e.small(), Tag: e.small(), Context: e.small(), Size: units.Bytes(e.number())}
	m.Options = node.Options{
		NIC: int(e.number()), Gap: uint32(e.number()),
		Protocol: node.Protocol(e.number()), Copies: node.Copies(e.number()),
	}
	return q, m
}

func (e *eventReader) text() string {
	n := e.number()
	if n < 0 || n > int64(len(e.rest)) {
		e.wrong, e.rest = true, nil
		return ""
	}
	text := string(e.rest[:n])
	e.rest = e.rest[n:]
	return text
}

func (e *eventReader) requests() (list []node.Request) {
	for n := e.number(); n > 0 && !e.wrong; n-- {
		list = append(list, e.request())
	}
	return list
}

// hear passes the events of a piece to the log of their rank. It ignores ranks of other processes.
func (r *Recorder) hear(piece []byte) error {
	rank, size := binary.Uvarint(piece)
	if size <= 0 || rank >= uint64(len(r.logs)) {
		return errEvents
	}
	l := r.logs[rank]
	if l == nil {
		return nil
	}
	e := &eventReader{rest: piece[size:]}
	now := int64(0)
	l.clock = func() int64 { return now }
	for len(e.rest) > 0 && !e.wrong {
		kind := e.rest[0]
		e.rest = e.rest[1:]
		now = e.number()
		l.hear(kind, e)
	}
	if e.wrong {
		return errEvents
	}
	return nil
}

// hear decodes the arguments of an event and passes the event to the log.
func (l *log) hear(kind byte, e *eventReader) {
	switch kind {
	case eventComputed:
		l.Computed(e.number())
	case eventSpent:
		l.Spent(e.number())
	case eventSent:
		l.Sent(e.outgoing())
	case eventGet, eventPut:
		q, m := e.outgoing()
		l.Accessed(q, kind == eventGet, m)
	case eventPosted:
		l.Posted(e.request(), e.small(), e.small(), e.small())
	case eventCancelled:
		l.Cancelled(e.request())
	case eventTimed:
		l.Timed(e.request(), e.number())
	case eventWaited:
		l.Waited(e.requests()...)
	case eventReceived:
		m := node.Incoming{Source: e.small(), Tag: e.small(), Context: e.small(), Size: units.Bytes(e.number())}
		l.Received(&m)
	case eventEntered:
		l.Entered()
	case eventProbed:
		l.Probed(e.small(), e.small(), e.small())
	case eventSkipped:
		l.Skipped(e.text())
	default:
		e.wrong = true
	}
}
