package replay

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/trace"
)

// Damage reports, in a partial replay, that the trace of a rank is damaged, and at which entry its
// replay ended.
type Damage struct {
	Rank int
	// Read is the number of records or tasks read before the damage. Last describes the last of
	// them; it is empty if there is none.
	Read int64
	Last string
	Err  *trace.Error // the file and the offset of the damage, and its description
}

func (d *Damage) Error() string {
	if d.Read == 0 {
		return fmt.Sprintf("rank %d, from its beginning: %v", d.Rank, d.Err)
	}
	return fmt.Sprintf("rank %d, after entry %d (%s): %v", d.Rank, d.Read, d.Last, d.Err)
}

// Unwrap returns the error of the trace.
func (d *Damage) Unwrap() error { return d.Err }

// damaged stores d for the report.
func (j *Job) damaged(d *Damage) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	i, again := slices.BinarySearchFunc(
		j.damage, d.Rank, func(o *Damage, rank int) int { return cmp.Compare(o.Rank, rank) },
	)
	if !again { // otherwise the rank has reached the damage again after a rollback
		j.damage = slices.Insert(j.damage, i, d)
	}
}

// kindNames holds the names of the kinds of records in reports.
var kindNames = [...]string{
	trace.Compute: "computation", trace.Send: "send", trace.Receive: "receive",
	trace.Start: "start of a message", trace.Wait: "wait",
	trace.Exchange: "send and receive", trace.Collective: "collective",
	trace.Enter: "begin of a region", trace.Leave: "end of a region",
	trace.Skipped: "call that is left out", trace.Software: "software time",
	trace.Beside: "computation beside", trace.Probe: "probe", trace.Cancel: "receive taken back",
	trace.Put: "put", trace.Get: "get", trace.Test: "test",
}

// brief holds the fields of a record that Damage.Last describes.
type brief struct {
	kind    trace.Kind
	call    trace.CollectiveKind
	receive bool
	peer    int32
	name    string
}

func briefOf(r *trace.Record) brief {
	return brief{r.Kind, r.Call.Kind, r.Message.Receive, r.Message.Peer, r.Name}
}

func (b *brief) String() string {
	switch b.kind {
	case trace.Send:
		return fmt.Sprintf("send to rank %d", b.peer)
	case trace.Receive:
		return fmt.Sprintf("receive from rank %d", b.peer)
	case trace.Start:
		if b.receive {
			return fmt.Sprintf("start of a receive from rank %d", b.peer)
		}
		return fmt.Sprintf("start of a send to rank %d", b.peer)
	case trace.Collective:
		return b.call.String()
	case trace.Enter, trace.Leave, trace.Skipped:
		return fmt.Sprintf("%s: %s", kindNames[b.kind], b.name)
	}
	return kindNames[b.kind]
}

// taskNames holds the names of the kinds of tasks in reports.
var taskNames = [...]string{
	trace.TaskCompute: "computation", trace.TaskSend: "send", trace.TaskReceive: "receive",
	trace.TaskCollective: "collective", trace.TaskNothing: "task without effect",
	trace.TaskUntil: "wait for a time",
}
