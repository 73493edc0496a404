package replay

import (
	"encoding/gob"
	"errors"
	"sync"

	"fabricast/collective"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
	"fabricast/node"
	"fabricast/trace"
	"fabricast/trace/native"
	"fabricast/trace/otf2"
)

// Recorder records the operations of all ranks of a run as a trace, for any kind of program. A
// replay in the same experiment sends the same messages at the same times.
type Recorder struct {
	create []func(ranks int, members func(group int32) []int32) (recording, error)
	factor float64
	group  cluster.Collective // the processes that share the run; nil if there is only one

	mutex sync.Mutex
	ranks int
	into  []recording // empty before the run
	logs  []*log      // by rank; nil for ranks of other processes
	err   error
	// keeper receives the events in a run with checkpoints; nil without checkpoints.
	keeper *keeper
	kept   []*keptLog // by rank
	// restoring is locked during Again, because an interrupted run may call Abandon before or
	// during Again. left means that Abandon has been called.
	restoring sync.Mutex
	left      bool
}

// recording is a trace that is being written, in some format.
type recording interface {
	// write appends a record of a rank. end is the end time of the record (ps), and came holds the
	// messages received by a wait.
	write(rank int, r *trace.Record, end int64, came []trace.Message)
	// enter and leave enclose the records of the messages of a collective.
	enter(rank int, kind trace.CollectiveKind, group int32)
	leave(rank int)
	// renumber replaces the group indices in all records. It is called after the last record.
	renumber(number func(group int32) int32) error
	// give sends the records of a rank to the first process, whose recording receives them with
	// take.
	give(rank int, out *gob.Encoder) error
	take(rank int, in *gob.Decoder) error
	close(groups [][]int32, factor float64) error
	abandon()
}

// NewRecorder returns a Recorder that writes the trace file path in Fabricast's native format.
// During the run, the records are stored in a file in the folder spool. factor is the factor by
// which the run multiplies computation times; 0 means 1.
func NewRecorder(path, spool string, factor float64) *Recorder {
	r := NewRecorders(factor)
	r.Native(path, spool)
	return r
}

// NewRecorders returns a Recorder that writes no trace until Native or OTF2 is called. See
// NewRecorder for factor.
func NewRecorders(factor float64) *Recorder {
	if factor == 0 {
		factor = 1
	}
	return &Recorder{factor: factor}
}

// Native makes the Recorder write the trace file path in Fabricast's native format. See NewRecorder
// for spool.
func (r *Recorder) Native(path, spool string) {
	r.create = append(r.create, func(ranks int, _ func(int32) []int32) (recording, error) {
		w, err := native.Create(path, r.spoolIn(spool), ranks)
		return nativeRecording{w}, err
	})
}

// OTF2 makes the Recorder write an OTF2 archive to the folder path. The archive contains the times
// of the run. During the run, the archive is in a temporary folder in spool.
func (r *Recorder) OTF2(path, spool string) {
	r.create = append(r.create, func(ranks int, members func(int32) []int32) (recording, error) {
		w, err := otf2.Create(path, r.spoolIn(spool), ranks, members)
		return otf2Recording{w}, err
	})
}

// nativeRecording is a recording in Fabricast's native format.
type nativeRecording struct{ *native.Writer }

func (n nativeRecording) write(rank int, r *trace.Record, _ int64, _ []trace.Message) {
	n.Rank(rank).Write(r)
}
func (nativeRecording) enter(int, trace.CollectiveKind, int32)    {}
func (nativeRecording) leave(int)                                 {}
func (n nativeRecording) renumber(number func(int32) int32) error { return n.Renumber(number) }
func (n nativeRecording) give(rank int, out *gob.Encoder) error   { return n.Give(rank, out) }
func (n nativeRecording) take(rank int, in *gob.Decoder) error    { return n.Take(rank, in) }
func (n nativeRecording) close(groups [][]int32, factor float64) error {
	return n.Close(groups, factor)
}
func (n nativeRecording) abandon() { n.Abandon() }

// otf2Recording is a recording as an OTF2 archive.
type otf2Recording struct{ *otf2.Writer }

func (o otf2Recording) write(rank int, r *trace.Record, end int64, came []trace.Message) {
	o.Rank(rank).WriteAt(r, end, came)
}

func (o otf2Recording) enter(rank int, kind trace.CollectiveKind, group int32) {
	o.Rank(rank).EnterCollective(kind, group)
}
func (o otf2Recording) leave(rank int) { o.Rank(rank).LeaveCollective() }

func (o otf2Recording) renumber(number func(int32) int32) error { return o.Renumber(number) }
func (o otf2Recording) give(rank int, out *gob.Encoder) error   { return o.Give(rank, out) }
func (o otf2Recording) take(rank int, in *gob.Decoder) error    { return o.Take(rank, in) }

func (o otf2Recording) close(groups [][]int32, factor float64) error {
	return o.Close(groups, factor)
}
func (o otf2Recording) abandon() { o.Abandon() }

// Wrap returns a launcher that starts the programs of launch and records them. If Wrap is called
// again, for another run, the recording of the earlier run is discarded.
func (r *Recorder) Wrap(launch node.Launcher) node.Launcher {
	r.discard(false)
	return func(ranks int) func(rank int) node.Program {
		r.mutex.Lock()
		r.ranks = ranks
		r.mutex.Unlock()
		program := launch(ranks)
		return func(rank int) node.Program {
			p := &recorded{Program: program(rank), recorder: r, rank: rank}
			if _, ok := p.Program.(node.Stateful); ok {
				return &recordedState{p}
			}
			return p
		}
	}
}

// begin installs the log of a rank when the rank starts. The first rank also starts the recordings.
func (r *Recorder) begin(ops *node.Ops, rank int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.keeper != nil && r.keeper.resumes || r.logs != nil && r.logs[rank] != nil {
		return // the log is already installed, or Again will install it
	}
	if r.logs == nil {
		r.logs = make([]*log, r.ranks)
		if r.err = r.fits(ops.World()); r.err == nil {
			r.open(func(group int32) []int32 { return ops.World().Members(int(group)) })
		}
	}
	if r.err == nil {
		l := &log{into: r.into, rank: rank, world: ops.World()}
		r.logs[rank] = l
		l.clock = ops.Log(r.keeping(l))
	}
}

// open starts the recordings. members returns the world ranks of a group.
func (r *Recorder) open(members func(group int32) []int32) {
	for _, create := range r.create {
		into, err := create(r.ranks, members)
		if err != nil {
			r.err = err
			r.abandon()
			return
		}
		r.into = append(r.into, into)
	}
}

// Close writes the traces. It must be called after the run. If several processes share the run, all
// of them must call Close. The first process writes the traces. If one process fails, Close returns
// an error in all of them.
func (r *Recorder) Close() error {
	defer r.Abandon()
	for _, l := range r.logs {
		if l != nil {
			l.end()
		}
	}
	if err := r.settle(r.err); err != nil {
		return err
	}
	groups, err := r.renumber()
	if err = r.settle(err); err != nil {
		return err
	}
	if err = r.settle(r.carry()); err != nil {
		return err
	}
	if cluster.First(r.group) {
		for _, into := range r.into {
			err = errors.Join(err, into.close(groups, r.factor))
		}
		r.into = nil
	}
	return r.settle(err)
}

// Abandon discards everything recorded. If Again is running, Abandon waits for it. Again fails
// after Abandon.
func (r *Recorder) Abandon() { r.discard(true) }

// discard discards the recordings. leave means that the Recorder will not be used any more.
func (r *Recorder) discard(leave bool) {
	r.restoring.Lock()
	defer r.restoring.Unlock()
	r.left = r.left || leave
	r.abandon()
	r.logs, r.kept, r.err = nil, nil, nil
}

func (r *Recorder) abandon() {
	for _, into := range r.into {
		into.abandon()
	}
	r.into = nil
}

// recorded is the program of a rank whose operations are recorded.
type recorded struct {
	node.Program
	recorder *Recorder
	rank     int
	started  bool
}

// Resume implements node.Program.
func (p *recorded) Resume(ops *node.Ops) {
	if !p.started {
		p.started = true
		p.recorder.begin(ops, p.rank)
	}
	p.Program.Resume(ops)
}

// recordedState is a recorded program whose state can be saved.
type recordedState struct{ *recorded }

// State implements node.Stateful.
func (p *recordedState) State(v *snapshot.Visitor) { p.Program.(node.Stateful).State(v) }

// Restored implements node.Placed.
func (p *recordedState) Restored(w *node.World) {
	if placed, ok := p.Program.(node.Placed); ok {
		placed.Restored(w)
	}
}

// Finish implements node.Finisher.
func (p *recordedState) Finish() error {
	if f, ok := p.Program.(node.Finisher); ok {
		return f.Finish()
	}
	return nil
}

// Stop implements node.Stopper.
func (p *recorded) Stop() {
	if s, ok := p.Program.(node.Stopper); ok {
		s.Stop()
	}
}

// Doing implements node.Doer.
func (p *recorded) Doing() string {
	if d, ok := p.Program.(node.Doer); ok {
		return d.Doing()
	}
	return ""
}

// log records the operations of one rank. It writes a record when the next record starts, because
// only then the end time is known.
type log struct {
	into    []recording
	rank    int
	world   *node.World
	clock   func() int64
	record  trace.Record // the current record, not yet written
	begun   bool
	came    []trace.Message         // messages received by the current record, a wait
	open    map[node.Request]uint64 // request IDs in the trace, by open request
	started uint64
	waited  []uint64 // memory for reuse
	// groups lists the groups of the rank's messages in the order of first use, without the world.
	// known is the same as a set.
	groups []int32
	known  map[int32]bool

	within bool // the rank is in a collective
	fresh  bool // the next message starts a collective
}

var _ node.Log = (*log)(nil)

// start assigns a request ID in the trace to request q.
func (l *log) start(q node.Request) uint64 {
	if l.open == nil {
		l.open = map[node.Request]uint64{}
	}
	l.started++
	l.open[q] = l.started
	return l.started
}

// write makes r the current record, and writes the previous one. If r is the first message of a
// collective, write first enters the collective.
func (l *log) write(r trace.Record) {
	l.flush()
	switch r.Kind {
	case trace.Wait, trace.Software:
	case trace.Start, trace.Put, trace.Get:
		l.collective(&r.Message)
	default:
		l.leave()
	}
	r.Requests = append(l.record.Requests[:0], r.Requests...)
	l.record, l.begun = r, true
}

// flush writes the current record, if there is one.
func (l *log) flush() {
	if l.begun {
		end := l.clock()
		for _, into := range l.into {
			into.write(l.rank, &l.record, end, l.came)
		}
	}
	l.begun, l.came = false, l.came[:0]
}

// end writes the last record.
func (l *log) end() {
	l.flush()
	l.leave()
}

// collectives maps the kinds of collectives of package collective to those of package trace.
var collectives = map[collective.Kind]trace.CollectiveKind{
	collective.KindBarrier: trace.Barrier, collective.KindBroadcast: trace.Broadcast,
	collective.KindGather:  trace.Gather,
	collective.KindScatter: trace.Scatter, collective.KindAllgather: trace.Allgather,
	collective.KindAlltoall:  trace.Alltoall,
	collective.KindAllreduce: trace.Allreduce, collective.KindReduce: trace.Reduce,
	collective.KindReduceScatter: trace.ReduceScatter,
}

// collective enters the collective of message m, unless the rank is already in it. If m is not part
// of a collective, it leaves the current one.
func (l *log) collective(m *trace.Message) {
	kind, known := collectives[collective.KindOf(m.Tag)]
	if known = known && ofCollectives(m.Options.Context); known && l.within && !l.fresh {
		return
	}
	l.leave()
	if known {
		l.within = true
		for _, into := range l.into {
			into.enter(l.rank, kind, m.Group)
		}
	}
}

// ofCollectives reports whether context is that of messages or puts of collectives.
func ofCollectives(context uint8) bool {
	return int32(context) == node.Collectives || int32(context) == node.Puts+node.Collectives
}

// leave leaves the collective that the rank is in, if any.
func (l *log) leave() {
	l.fresh = false
	if l.within {
		l.within = false
		for _, into := range l.into {
			into.leave(l.rank)
		}
	}
}

// communicator returns the group of the communicator with the given context, and which of the
// contexts of the communicator it is (see trace.MessageOptions.Context).
func (l *log) communicator(context int32) (group int32, which uint8) {
	number, offset := l.world.Communicator(context)
	if l.world.OfSelf(number) {
		return trace.Self, uint8(offset)
	}
	group = int32(number)
	if group > 0 && !l.known[group] {
		if l.known == nil {
			l.known = map[int32]bool{}
		}
		l.known[group] = true
		l.groups = append(l.groups, group)
	}
	return group, uint8(offset)
}

// worldRank converts a rank in the communicator with the given context to a world rank. It returns
// node.AnySource unchanged.
func (l *log) worldRank(context, rank int32) int32 {
	if number, _ := l.world.Communicator(context); l.world.OfSelf(number) && rank >= 0 {
		return int32(l.rank)
	}
	return l.world.WorldRank(context, rank)
}

// Entered implements node.Log.
func (l *log) Entered() { l.fresh = true }

// Received implements node.Log.
func (l *log) Received(m *node.Incoming) {
	group, which := l.communicator(m.Context)
	l.came = append(l.came, trace.Message{
		Receive: true, Peer: l.worldRank(m.Context, m.Source), Tag: m.Tag,
		Group: group, Size: int64(m.Size),
		Options: trace.MessageOptions{Context: which},
	})
}

// Computed implements node.Log.
func (l *log) Computed(d int64) { l.write(trace.Record{Kind: trace.Compute, Duration: d}) }

// Spent implements node.Log.
func (l *log) Spent(d int64) { l.write(trace.Record{Kind: trace.Software, Duration: d}) }

// errSwitched is the error of a collective of which a trace would have messages between ranks.
var errSwitched = errors.New(
	"switches carry out the collective (algorithm in-network), which traces cannot hold: record it with another algorithm",
)

// Sent implements node.Log.
func (l *log) Sent(q node.Request, m *node.Outgoing) {
	o := &m.Options
	if o.Tree != 0 {
		panic(errSwitched)
	}
	group, which := l.communicator(m.Context)
	l.write(trace.Record{Kind: trace.Start, Message: trace.Message{
		Peer: m.Dst, Tag: m.Tag, Group: group, Size: int64(m.Size), Request: l.start(q),
		Options: trace.MessageOptions{
			Context:  which,
			Protocol: uint8(o.Protocol),
			Copies:   uint8(o.Copies),
			NIC:      int32(o.NIC),
			Gap:      o.Gap,
		},
	}})
}

// Accessed implements node.Log.
func (l *log) Accessed(q node.Request, get bool, m *node.Outgoing) {
	group, which := l.communicator(m.Context)
	r := trace.Record{Kind: trace.Put, Message: trace.Message{
		Peer: m.Dst, Tag: m.Tag, Group: group, Size: int64(m.Size),
		Options: trace.MessageOptions{Context: which, NIC: int32(m.Options.NIC), Gap: m.Options.Gap},
	}}
	if get {
		r.Kind = trace.Get
	}
	if q.ID != 0 {
		r.Message.Request = l.start(q)
	}
	l.write(r)
}

// Posted implements node.Log.
func (l *log) Posted(q node.Request, source, tag, context int32) {
	group, which := l.communicator(context)
	l.write(trace.Record{Kind: trace.Start, Message: trace.Message{
		Receive: true, Peer: l.worldRank(context, source), Tag: tag, Group: group,
		Size: int64(anything.Len()), Request: l.start(q),
		Options: trace.MessageOptions{Context: which},
	}})
}

// Cancelled implements node.Log.
func (l *log) Cancelled(q node.Request) {
	if id, known := l.open[q]; known {
		delete(l.open, q)
		l.write(trace.Record{Kind: trace.Cancel, Message: trace.Message{Request: id}})
	}
}

// Timed implements node.Log.
func (l *log) Timed(q node.Request, d int64) {
	l.write(trace.Record{Kind: trace.Beside, Duration: d, Message: trace.Message{Request: l.start(q)}})
}

// Waited implements node.Log.
func (l *log) Waited(requests ...node.Request) {
	l.waited = l.waited[:0]
	for _, q := range requests {
		if id, known := l.open[q]; known {
			delete(l.open, q)
			l.waited = append(l.waited, id)
		}
	}
	if len(l.waited) > 0 {
		l.write(trace.Record{Kind: trace.Wait, Requests: l.waited})
	}
}

// Probed implements node.Log.
func (l *log) Probed(source, tag, context int32) {
	group, which := l.communicator(context)
	l.write(trace.Record{Kind: trace.Probe, Message: trace.Message{
		Receive: true, Peer: l.worldRank(context, source), Tag: tag, Group: group,
		Options: trace.MessageOptions{Context: which},
	}})
}

// Skipped implements node.Log.
func (l *log) Skipped(what string) { l.write(trace.Record{Kind: trace.Skipped, Name: what}) }
