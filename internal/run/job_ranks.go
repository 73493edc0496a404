package run

import (
	"errors"
	"fmt"

	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/failure"
	"fabricast/internal/random"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/node"
)

// This file has functions over all programs of a run.

// sum returns the sum of of(world) over all programs.
func sum[N int | int64](j *jobs, of func(*node.World) N) (n N) {
	j.each(func(w *node.World) { n += of(w) })
	return n
}

// each calls visit for the world of each program.
func (j *jobs) each(visit func(*node.World)) {
	for _, p := range j.programs {
		visit(p.world)
	}
}

// finished returns the number of ranks that have ended.
func (j *jobs) finished() int { return sum(j, (*node.World).Finished) }

// arrived returns the number of messages received.
func (j *jobs) arrived() int64 { return sum(j, (*node.World).Arrived) }

// latest returns the latest time of the events that jobs have reported in any process. All processes call
// it.
func (j *jobs) latest() (latest units.Time) {
	for _, one := range j.list {
		latest = max(latest, units.Time(one.latest()))
	}
	return units.Time(-cluster.Min(j.group, -int64(latest)))
}

// cancel stops the ranks.
func (j *jobs) cancel() { j.each((*node.World).Cancel) }

// close releases the ranks' programs.
func (j *jobs) close() { j.each((*node.World).Close) }

// failed reports whether a rank has failed.
func (j *jobs) failed() (failed bool) {
	j.each(func(w *node.World) { failed = failed || w.Failed() })
	return failed
}

// failure returns the earliest failure of a rank; nil if there is none.
func (j *jobs) failure() (first *failure.RunError) {
	for _, p := range j.programs {
		var found *node.RankError
		if errors.As(p.world.Err(), &found) && (first == nil || found.Time < first.Time) {
			first = &failure.RunError{Rank: found.Rank, Time: found.Time, Err: found.Err, Job: p.Name}
		}
	}
	return first
}

// stopped reports whether ranks have stopped with their hosts.
func (j *jobs) stopped() (stopped bool) {
	j.each(func(w *node.World) { stopped = stopped || w.Stopped() })
	return stopped
}

// deadlock returns an error that explains why ranks are blocked. It wraps a *node.DeadlockError.
func (j *jobs) deadlock() error {
	var stuck []error
	for _, p := range j.programs {
		if p.world.Finished() < p.world.Ranks() {
			stuck = append(stuck, p.named(p.world.Deadlock()))
		}
	}
	return errors.Join(stuck...)
}

// named adds the job's name to err. It returns err if that is nil or the job has no name.
func (p *program) named(err error) error {
	if err == nil || p.Name == "" {
		return err
	}
	return fmt.Errorf("job %s: %w", p.Name, err)
}

// stats sums the statistics of all jobs. The hash is that of the job if there is only one, and
// otherwise a hash over the hashes of all jobs in order.
func (j *jobs) stats() *node.Stats {
	if len(j.list) == 1 {
		return j.list[0].stats()
	}
	all := &node.Stats{Ranks: j.ranks}
	for i, s := range j.eachStats() {
		one := j.list[i]
		for k := range s.Hash {
			all.Hash[k] += random.Scramble(random.Scramble(s.Hash[k]) + uint64(i))
		}
		all.End = max(all.End, s.End)
		all.Finished += s.Finished
		all.Messages += s.Messages
		all.Bytes += s.Bytes
		all.Looks += s.Looks
		all.Unmet += s.Unmet
		all.Latency.Add(&s.Latency)
		all.Latencies.Add(&s.Latencies)
		all.AddClassBytes(s.ClassBytes)
		if s.Stray != nil && all.Stray == nil {
			s.Stray.Destination += one.about().First
			all.Stray = s.Stray
		}
	}
	return all
}

// of returns the program of a rank, given the rank's number over all jobs.
func (j *jobs) of(rank int) *program {
	i := len(j.programs) - 1
	for j.programs[i].First > rank {
		i--
	}
	return j.programs[i]
}

// record returns the statistics of a rank, given the rank's number over all jobs.
func (j *jobs) record(rank int) node.RankRecord {
	p := j.of(rank)
	r := p.world.Record(rank - p.First)
	r.Rank = rank
	return r
}

// Trace registers t as the tracer of all ranks. It receives ranks numbered over all jobs.
func (j *jobs) Trace(t node.Tracer, what node.Traced) {
	for _, p := range j.programs {
		own := t
		if p.First > 0 {
			own = &jobTracer{t, int32(p.First)}
		}
		p.world.Trace(own, what)
	}
}

// Waiting returns the minimum of node.World.Waiting over all programs.
func (j *jobs) Waiting(block int) int64 {
	first := int64(fabric.Forever)
	j.each(func(w *node.World) { first = min(first, w.Waiting(block)) })
	return first
}

// saveable returns the reason why the state cannot be saved; nil if it can.
func (j *jobs) saveable() error {
	for _, p := range j.programs {
		if err := p.world.Saveable(); err != nil {
			return p.named(err)
		}
	}
	return nil
}

// streamsOfJob is the number of streams reserved for each job. A stream belongs to a partition
// block.
const streamsOfJob = 1 << 20

// journal makes programs with their own stacks write journals, see node.World.Journal. Stream
// numbers of a job are offset by streamsOfJob from those of the previous job.
func (j *jobs) journal(first int, flush func(int, []byte), read func(int) func() ([]byte, error)) {
	for i, one := range j.list {
		p, ok := one.(*program)
		if !ok || !errors.Is(p.world.Saveable(), node.ErrStacks) {
			continue
		}
		streams := i * streamsOfJob
		var own func(int) func() ([]byte, error)
		if read != nil {
			own = func(block int) func() ([]byte, error) { return read(streams + block) }
		}
		p.world.Journal(first, func(block int, records []byte) { flush(streams+block, records) }, own)
	}
}

// flushJournal writes buffered journal records. All processes call it before they save.
func (j *jobs) flushJournal() { j.each((*node.World).FlushJournal) }

// state visits the state of the journals.
func (j *jobs) state(v *snapshot.Visitor) { j.each(func(w *node.World) { w.State(v) }) }

// statePacers visits the state of the pacers.
func (j *jobs) statePacers(v *snapshot.Visitor) {
	for _, p := range j.programs {
		p.pacer.State(v)
	}
}

// jobTracer forwards reports about a job's ranks, with ranks numbered over all jobs.
type jobTracer struct {
	node.Tracer
	first int32
}

// Span implements node.Tracer.
func (t *jobTracer) Span(block int, s *node.Span) {
	t.shift(s)
	t.Tracer.Span(block, s)
}

// Step implements node.Tracer.
func (t *jobTracer) Step(block int, s *node.Step) {
	t.shift(&s.Span)
	if s.Cause.Peer >= 0 {
		s.Cause.Peer += t.first
	}
	t.Tracer.Step(block, s)
}

// Message implements node.Tracer.
func (t *jobTracer) Message(block int, m *node.Sent) {
	m.Source += t.first
	m.Dst += t.first
	t.Tracer.Message(block, m)
}

// shift numbers the ranks of a period over all jobs.
func (t *jobTracer) shift(s *node.Span) {
	s.Rank += t.first
	if s.Peer >= 0 {
		s.Peer += t.first
	}
}
