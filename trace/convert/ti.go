package convert

import (
	"bufio"
	"fmt"
	"strings"

	"fabricast/trace"
)

const tiName = "time-independent"

// psPerOperation is the duration of an operation, in ps, at the default rate of computation.
const psPerOperation = 1e12 / trace.DefaultOperations

// recordsAsTI writes the records of all ranks as time-independent actions in one file. It converts
// durations to operations at the rate trace.DefaultOperations. A wait for several requests becomes
// a wait for each request.
func recordsAsTI(w *bufio.Writer, t trace.Source, k *kept) error {
	for rank := range t.Ranks() {
		a := actions{out: w, rank: rank, ranks: t.Ranks(), open: map[uint64]string{}}
		fmt.Fprintf(w, "%d init\n", rank)
		if err := k.each(rank, a.record); err != nil {
			return err
		}
		fmt.Fprintf(w, "%d finalize\n", rank)
	}
	return nil
}

// actions writes the actions of one rank.
type actions struct {
	out   *bufio.Writer
	rank  int
	ranks int
	open  map[uint64]string // by request: the source, destination and tag, for a wait action
}

func (a *actions) record(r *trace.Record) error {
	switch r.Kind {
	case trace.Compute, trace.Software:
		fmt.Fprintf(a.out, "%d compute %v\n", a.rank, float64(r.Duration)/psPerOperation)
	case trace.Send, trace.Receive:
		_, err := a.message(&r.Message, "")
		return err
	case trace.Start:
		key, err := a.message(&r.Message, "i")
		a.open[r.Message.Request] = key
		return err
	case trace.Exchange:
		received, err := a.message(&r.Other, "i")
		if err != nil {
			return err
		}
		sent, err := a.message(&r.Message, "i")
		fmt.Fprintf(a.out, "%d wait %s\n%d wait %s\n", a.rank, received, a.rank, sent)
		return err
	case trace.Wait:
		for _, id := range r.Requests {
			if key, known := a.open[id]; known {
				fmt.Fprintf(a.out, "%d wait %s\n", a.rank, key)
				delete(a.open, id)
			}
		}
	case trace.Test:
		if key, known := a.open[r.Message.Request]; known {
			fmt.Fprintf(a.out, "%d test %s\n", a.rank, key)
		}
	case trace.Collective:
		return a.collective(&r.Call)
	case trace.Beside, trace.Probe, trace.Cancel, trace.Put, trace.Get:
		return &Error{
			Format: tiName,
			Rank:   a.rank,
			What: "a probe, a receive that is taken back, a put or a get, or computation beside " +
				"other things",
		}
	}
	return nil
}

// message writes a send or receive, and returns the text that identifies it in a wait action.
// started is "i" if it is nonblocking.
func (a *actions) message(m *trace.Message, started string) (string, error) {
	tag, ok := plainTag(m)
	if !ok || m.Peer == trace.Any || m.Tag == trace.Any {
		return "", &Error{
			Format: tiName,
			Rank:   a.rank,
			What:   fmt.Sprintf("a message of any source or tag, or tag %d of communicator %d", m.Tag, m.Group),
		}
	}
	action, source, to := "send", a.rank, int(m.Peer)
	if m.Receive {
		action, source, to = "recv", int(m.Peer), a.rank
	}
	size := m.Size
	if m.Receive && size >= 1<<40 {
		size = -1 // unknown
	}
	fmt.Fprintf(a.out, "%d %s%s %d %d %d\n", a.rank, started, action, m.Peer, tag, size)
	return fmt.Sprintf("%d %d %d", source, to, tag), nil
}

// collective writes a collective. It returns an error unless the collective is of the world group
// and even.
func (a *actions) collective(o *trace.Operation) error {
	if o.Group != 0 || o.Uneven {
		return &Error{Format: tiName, Rank: a.rank, What: fmt.Sprintf("%s of some ranks, or "+
			"with blocks that differ", o.Kind)}
	}
	action := ""
	switch o.Kind {
	case trace.Barrier:
		action = "barrier"
	case trace.Broadcast:
		action = fmt.Sprintf("bcast %d %d", o.Size, o.Root)
	case trace.Gather:
		action = fmt.Sprintf("gather %d %d %d", o.Size, o.Size, o.Root)
	case trace.Scatter:
		action = fmt.Sprintf("scatter %d %d %d", o.Size, o.Size, o.Root)
	case trace.Allgather:
		action = fmt.Sprintf("allgather %d %d", o.Size, o.Size)
	case trace.Alltoall:
		action = fmt.Sprintf("alltoall %d %d", o.Size, o.Size)
	case trace.Allreduce:
		action = fmt.Sprintf("allreduce %d 0", o.Size)
	case trace.Reduce:
		action = fmt.Sprintf("reduce %d 0 %d", o.Size, o.Root)
	case trace.ReduceScatter:
		action = "reducescatter" + strings.Repeat(fmt.Sprintf(" %d", o.Size), a.ranks) + " 0"
	case trace.Scan:
		action = fmt.Sprintf("scan %d 0", o.Size)
	case trace.Exscan:
		action = fmt.Sprintf("exscan %d 0", o.Size)
	}
	fmt.Fprintf(a.out, "%d %s\n", a.rank, action)
	return nil
}
