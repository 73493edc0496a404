package replay

import (
	"errors"
	"fmt"
	"io"

	"fabricast/mpi"
	"fabricast/trace"
)

// troupe holds the state shared by the ranks of a partition block that replay records. Only one of
// these ranks runs at a time.
type troupe struct {
	job    *Job
	groups *mpi.Groups
	comm   mpi.Comm
	wait   []mpi.Request
	sizes  []int64 // scaled sizes of the data blocks of a collective
}

func newTroupe(j *Job, groups *mpi.Groups) *troupe { return &troupe{job: j, groups: groups} }

// steps returns the program of the given rank.
func (t *troupe) steps(rank int) mpi.Steps {
	return &player{troupe: t, rank: rank, factor: t.job.scale.compute(rank)}
}

// player is a rank that replays records. Each record is a step (see mpi.Steps).
type player struct {
	*troupe
	rank    int
	stream  trace.Stream // nil before the start
	record  trace.Record // the current record
	open    map[uint64]mpi.Request
	skipped map[string]int64
	over    bool
	count   int64     // number of records read
	last    brief     // description of the last record, in a partial replay
	factor  float64   // factor of computation times
	factors []float64 // stack with an entry for each region that the rank is in: the factor outside of that region
	tape    *tape     // the last records; nil unless the rank can be rolled back
}

// Next implements mpi.Steps: it reads the next record.
func (p *player) Next(r *mpi.Rank) bool {
	more, err := p.read()
	if err != nil {
		r.Fail(fmt.Errorf("rank %d: %w", r.Rank(), err))
	}
	if !more {
		p.Stop()
	}
	return more
}

func (p *player) read() (more bool, err error) {
	if !p.tape.next(p) {
		err = p.readOn()
	}
	var damage *trace.Error
	switch {
	case err == nil:
		p.count++
		if p.job.partial {
			p.last = briefOf(&p.record)
		}
		return true, nil
	case err == io.EOF:
		return false, nil
	case p.job.partial && errors.As(err, &damage):
		p.job.damaged(&Damage{Rank: p.rank, Read: p.count, Last: p.last.String(), Err: damage})
		return false, nil
	}
	return false, err
}

// readOn reads the next record from the trace, and adds it to the tape.
func (p *player) readOn() (err error) {
	if p.stream == nil {
		stream, err := p.job.source.Open(p.rank)
		if err != nil {
			return err
		}
		p.stream = stream
	}
	if err = p.stream.Next(&p.record); err == nil && p.tape != nil {
		p.tape.add(p)
	}
	return err
}

// Stop implements node.Stopper. It adds the counts of omitted and corrected records to the report.
func (p *player) Stop() {
	if p.stream != nil && !p.over {
		p.over = true
		p.job.ended(p.rank, p.stream.Faults(), p.skipped)
	}
}

// Do implements mpi.Steps: it executes the current record.
func (p *player) Do(r *mpi.Rank) {
	switch d := &p.record; d.Kind {
	case trace.Software:
		r.Compute(mpi.Duration(d.Duration))
	case trace.Beside:
		p.keep(d.Message.Request, p.beside(r, scaled(d.Duration, p.factor)))
	case trace.Probe:
		p.probe(r, &d.Message)
	case trace.Put, trace.Get:
		p.access(r, d)
	case trace.Cancel:
		p.cancel(r, d.Message.Request)
	case trace.Test:
		p.test(r, d.Message.Request)
	case trace.Compute:
		r.Compute(mpi.Duration(scaled(d.Duration, p.factor)))
	case trace.Send:
		p.plain(r, &d.Message).
			Send(mpi.Size(int(p.job.size(d.Message.Size))), int(d.Message.Peer), tag(&d.Message))
	case trace.Receive:
		p.plain(r, &d.Message).
			Recv(mpi.Size(int(p.job.size(d.Message.Size))), int(d.Message.Peer), tag(&d.Message))
	case trace.Exchange:
		p.wait = append(p.wait[:0], p.start(r, &d.Other), p.start(r, &d.Message))
		r.WaitAll(p.wait)
	case trace.Start:
		p.keep(d.Message.Request, p.start(r, &d.Message))
	case trace.Wait:
		p.waitFor(r, d.Requests)
	case trace.Collective:
		if !p.groups.SetComm(&p.comm, r, int(d.Call.Group)) {
			r.Fail(fmt.Errorf("rank %d: %s of a group that the rank is not in", r.Rank(), d.Call.Kind))
			return
		}
		o := p.job.operation(&d.Call, &p.sizes)
		carryOut(&p.comm, &o)
	default:
		p.pass()
	}
}

// pass executes the current record if it has no operations: Enter, Leave and Skipped.
func (p *player) pass() {
	switch d := &p.record; d.Kind {
	case trace.Enter:
		p.enter(d.Name)
	case trace.Leave:
		p.leave()
	case trace.Skipped:
		if p.skipped == nil {
			p.skipped = map[string]int64{}
		}
		p.skipped[d.Name]++
	}
}

// keep stores request q under its ID in the trace, for a later wait.
func (p *player) keep(id uint64, q mpi.Request) {
	if p.open == nil {
		p.open = map[uint64]mpi.Request{}
	}
	p.open[id] = q
}

// start starts the nonblocking send or receive m.
func (p *player) start(r *mpi.Rank, m *trace.Message) mpi.Request {
	if m.Options != (trace.MessageOptions{}) {
		return p.startWith(r, m)
	}
	if m.Receive {
		return p.plain(r, m).Irecv(mpi.Size(int(p.job.size(m.Size))), int(m.Peer), tag(m))
	}
	return p.plain(r, m).Isend(mpi.Size(int(p.job.size(m.Size))), int(m.Peer), tag(m))
}

// waitFor waits for the given requests. It ignores a request that is not in p.open, because the
// rank has already waited for it.
func (p *player) waitFor(r *mpi.Rank, requests []uint64) {
	p.wait = p.wait[:0]
	for _, id := range requests {
		if q, found := p.open[id]; found {
			p.wait = append(p.wait, q)
			delete(p.open, id)
		}
	}
	r.WaitAll(p.wait)
}

// plain returns the communicator of message m.
func (p *player) plain(r *mpi.Rank, m *trace.Message) *mpi.Comm {
	p.groups.SetPlain(&p.comm, r, p.job.communicator(m.Group))
	return &p.comm
}
