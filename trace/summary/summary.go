// Package summary reads a whole trace and summarizes its contents.
package summary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"fabricast/internal/panics"
	"fabricast/trace"
)

// Summary summarizes the contents of a trace.
type Summary struct {
	Format string
	Ranks  int
	Groups int
	Events int64
	// Recorded is the recorded time, in ps, from the first to the last event of a rank: the maximum
	// of all ranks; 0 if the trace has no times.
	Recorded int64
	// Compute is the computation time of all ranks, in ps. Least and Most are the minimum and the
	// maximum computation time of a rank.
	Compute, Least, Most int64
	// RecordedAll is the recorded time, in ps, summed over all ranks.
	RecordedAll int64
	Messages    int64 // number of sends
	Bytes       int64 // sum of the sizes of all sends
	Receives    int64
	Collectives map[trace.CollectiveKind]*Calls
	Regions     map[string]int64 // number of times that ranks entered each region
	Skipped     map[string]int64 // number of calls that cannot be replayed, by name
	Faults      trace.Faults
	Damage      []error // one error for each rank that could not be read completely
	Matrix      *Matrix
}

// Calls counts the calls of a kind of collective.
type Calls struct {
	Calls int64 // by all ranks
	Bytes int64 // sum of Size and Blocks (see trace.Operation) over all calls
}

// Read reads all ranks of a trace and summarizes them. workers is the number of concurrent readers,
// and cells is the maximum number of rows of the matrix. Damaged files are reported in
// Summary.Damage. Read returns an error if a file cannot be opened, or if ctx is cancelled.
func Read(ctx context.Context, source trace.Trace, workers, cells int) (*Summary, error) {
	s := newSummary(source, cells)
	s.Least = -1
	ranks := make(chan int)
	var group sync.WaitGroup
	var mutex sync.Mutex
	var failed error
	for range max(1, workers) {
		group.Go(panics.Guarded("reader of a trace", func() {
			for rank := range ranks {
				part, err := readRank(source, rank, cells)
				mutex.Lock()
				if err != nil {
					failed = errors.Join(failed, err)
				} else {
					s.add(part)
				}
				mutex.Unlock()
			}
		}))
	}
	for rank := range source.Ranks() {
		if ctx.Err() != nil {
			break
		}
		ranks <- rank
	}
	close(ranks)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s, failed
}

// newSummary returns an empty summary.
func newSummary(source trace.Trace, cells int) *Summary {
	return &Summary{
		Format: source.Format(), Ranks: source.Ranks(), Groups: len(source.Groups()),
		Collectives: map[trace.CollectiveKind]*Calls{}, Regions: map[string]int64{},
		Skipped: map[string]int64{},
		Matrix:  newMatrix(source.Ranks(), cells),
	}
}

// readRank summarizes one rank.
func readRank(source trace.Trace, rank, cells int) (*Summary, error) {
	s := newSummary(source, cells)
	stream, err := s.open(source, rank)
	for err == nil {
		err = stream.next()
	}
	var damage *trace.Error
	switch {
	case err == io.EOF:
	case errors.As(err, &damage):
		s.Damage = append(s.Damage, err)
	default:
		return nil, err
	}
	if stream != nil {
		s.Events, s.Recorded, s.Faults = stream.Events(), stream.Recorded(), stream.Faults()
	}
	s.RecordedAll = s.Recorded
	s.Least, s.Most = s.Compute, s.Compute
	return s, nil
}

// counted is the stream of a rank. next reads the next record or task and adds it to the summary.
type counted struct {
	progress
	next func() error
}

// progress holds the methods that trace.Stream and trace.TaskStream have in common.
type progress interface {
	Faults() trace.Faults
	Recorded() int64
	Events() int64
}

// open returns a stream of a rank, for a trace of records or of tasks. If it fails, the stream is
// nil.
func (s *Summary) open(source trace.Trace, rank int) (*counted, error) {
	switch source := source.(type) {
	case trace.Source:
		stream, err := source.Open(rank)
		if err != nil {
			return nil, err
		}
		var r trace.Record
		return &counted{stream, func() error {
			err := stream.Next(&r)
			if err == nil {
				s.record(rank, &r)
			}
			return err
		}}, nil
	case trace.Graph:
		stream, err := source.OpenTasks(rank)
		if err != nil {
			return nil, err
		}
		var t trace.Task
		return &counted{stream, func() error {
			err := stream.Next(&t)
			if err == nil {
				s.task(rank, &t)
			}
			return err
		}}, nil
	}
	return nil, fmt.Errorf("a trace in the format %s has neither records nor tasks", source.Format())
}

// record adds a record of a rank to the summary.
func (s *Summary) record(rank int, r *trace.Record) {
	switch r.Kind {
	case trace.Compute:
		s.Compute += r.Duration
	case trace.Send, trace.Receive, trace.Start, trace.Put, trace.Get:
		s.message(rank, &r.Message)
	case trace.Exchange:
		s.message(rank, &r.Message)
		s.message(rank, &r.Other)
	case trace.Collective:
		s.collective(&r.Call)
	case trace.Enter:
		s.Regions[r.Name]++
	case trace.Skipped:
		s.Skipped[r.Name]++
	}
}

// task adds a task of a rank to the summary.
func (s *Summary) task(rank int, t *trace.Task) {
	switch t.Kind {
	case trace.TaskCompute:
		s.Compute += t.Duration
		for i := range t.Sends {
			s.message(rank, &t.Sends[i].Message)
		}
	case trace.TaskSend:
		s.message(rank, &t.Message)
	case trace.TaskReceive:
		s.Receives++
	case trace.TaskCollective:
		s.collective(&t.Call)
	case trace.TaskNothing:
		if t.Skipped != "" {
			s.Skipped[t.Skipped]++
		}
	}
}

// collective adds one rank's call of a collective to the summary.
func (s *Summary) collective(o *trace.Operation) {
	c := s.Collectives[o.Kind]
	if c == nil {
		c = &Calls{}
		s.Collectives[o.Kind] = c
	}
	c.Calls++
	c.Bytes += operand(o)
}

// operand returns the bytes that a rank's call of a collective counts in Calls.Bytes.
func operand(o *trace.Operation) (n int64) {
	for _, b := range o.Blocks {
		n += b
	}
	return n + o.Size
}

// message adds a send or receive to the summary.
func (s *Summary) message(rank int, m *trace.Message) {
	if m.Receive {
		s.Receives++
		return
	}
	s.Messages++
	s.Bytes += m.Size
	s.Matrix.add(rank, int(m.Peer), m.Size)
}

// add adds o, the summary of another rank, to s.
func (s *Summary) add(o *Summary) {
	s.Events += o.Events
	s.Recorded = max(s.Recorded, o.Recorded)
	s.RecordedAll += o.RecordedAll
	s.Compute += o.Compute
	if s.Least < 0 || o.Least < s.Least {
		s.Least = o.Least
	}
	s.Most = max(s.Most, o.Most)
	s.Messages += o.Messages
	s.Bytes += o.Bytes
	s.Receives += o.Receives
	for k, c := range o.Collectives {
		sum := s.Collectives[k]
		if sum == nil {
			sum = &Calls{}
			s.Collectives[k] = sum
		}
		sum.Calls += c.Calls
		sum.Bytes += c.Bytes
	}
	for name, n := range o.Regions {
		s.Regions[name] += n
	}
	for name, n := range o.Skipped {
		s.Skipped[name] += n
	}
	s.Faults.Add(o.Faults)
	s.Damage = append(s.Damage, o.Damage...)
	s.Matrix.merge(o.Matrix)
}
