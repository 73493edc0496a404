package journal

import (
	"encoding/binary"
	"math"
	"slices"

	"fabricast/engine"
	"fabricast/internal/cluster"
	"fabricast/node/internal/core"
)

// If several processes share a resumed run, each feeds the programs of its own ranks, all of them
// the same window at a time. Between windows they exchange the contents that programs have sent
// again to ranks of other processes, and their control messages.

// feedsAcross exchanges data between the feeds of several processes.
type feedsAcross struct {
	group   cluster.Group
	control *cluster.Control
	// translates a mark of another process to the mark that this process uses
	mark   func(process int, mark uint64) uint64
	owners []int32 // by rank: the process that runs it
	// by process: contents to send, each preceded by its label, mark and length
	out [][]byte
}

// sentHead is the size in bytes of the header before contents.
const sentHead = 3 * 8

// NewFeedsAcross prepares the exchange for a process that runs the ranks in own, of all ranks in
// total. mark translates a mark of another process to the mark that this process uses for the same
// object. All processes must call it.
func NewFeedsAcross(
	g cluster.Group, control *cluster.Control, mark func(process int, mark uint64) uint64, own []int32, all int,
) *feedsAcross {
	a := &feedsAcross{
		group: g, control: control, mark: mark, owners: make([]int32, all), out: make([][]byte, g.Size()),
	}
	for p, ranks := range cluster.GatherValues(g, own) {
		for _, r := range ranks {
			a.owners[r] = int32(p)
		}
	}
	return a
}

// send queues contents for a rank of another process. It returns false if the rank belongs to this
// process.
func (a *feedsAcross) send(to int32, c *core.Contents) bool {
	p := a.owners[to]
	if int(p) == a.group.Rank() {
		return false
	}
	out := a.out[p]
	for _, n := range []uint64{c.Label, c.Mark, uint64(len(c.Data))} {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	a.out[p] = append(out, c.Data...)
	return true
}

// failedElsewhere, sent as the next window, means that a process has failed.
const failedElsewhere = math.MinInt64

// meet delivers what programs have sent in a window, and returns the start (ps) of the next window
// that has records in any process. If a process has failed, all processes get an error. All
// processes must call it.
func (a *feedsAcross) meet(s *Feeds, next int64) int64 {
	if s.Err != nil {
		next = failedElsewhere
	}
	messages := a.control.Take()
	to := make([][]byte, len(a.out))
	for p := range to {
		head := binary.LittleEndian.AppendUint64(nil, uint64(next))
		head = binary.LittleEndian.AppendUint64(head, uint64(len(messages[p])))
		to[p] = slices.Concat(head, messages[p], a.out[p])
		a.out[p] = a.out[p][:0]
	}
	for p, data := range a.group.Swap(to) {
		if p == a.group.Rank() {
			continue
		}
		next = min(next, int64(binary.LittleEndian.Uint64(data)))
		rest := data[16:]
		theirs := rest[:binary.LittleEndian.Uint64(data[8:])]
		a.control.Deliver(p, theirs)
		a.take(s, p, rest[len(theirs):])
	}
	if next == failedElsewhere {
		s.fail(engine.ErrElsewhere)
	}
	return next
}

// take stores contents that another process has sent.
func (a *feedsAcross) take(s *Feeds, process int, data []byte) {
	for len(data) > 0 {
		label, mark := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
		size := binary.LittleEndian.Uint64(data[16:])
		own := data[sentHead : sentHead+size]
		data = data[sentHead+size:]
		s.Contents[label] = core.Contents{
			Data: slices.Clone(own), Mark: a.mark(process, mark), Label: label,
		}
	}
}
