package node

import (
	"encoding/binary"
	"math"
	"slices"

	"fabricast/engine"
	"fabricast/internal/processes"
)

// Where several processes share a run that goes on, each feeds the programs of its own ranks, all of them
// the same window at a time. Between two windows they exchange what programs have sent again to ranks of
// other processes, and their news.

// feedsAcross is what the feeds of a process exchange with those of others.
type feedsAcross struct {
	world  *World
	group  processes.Group
	owners []int32  // by rank: the process that has it
	out    [][]byte // by process: contents, each after its label, mark and length
}

// sentHead is the length of what precedes contents.
const sentHead = 3 * 8

// newFeedsAcross prepares the exchange. All processes call it.
func newFeedsAcross(w *World) *feedsAcross {
	g := w.elsewhere.group
	a := &feedsAcross{world: w, group: g, owners: make([]int32, len(w.hostOf)), out: make([][]byte, g.Size())}
	var own []int32
	for _, b := range w.blocks.all() {
		for i := range b.ranks {
			own = append(own, b.ranks[i].id)
		}
	}
	for p, ranks := range processes.GatherValues(g, own) {
		for _, r := range ranks {
			a.owners[r] = int32(p)
		}
	}
	return a
}

// send takes contents for a rank of another process. It returns false if the rank is one of this process.
func (a *feedsAcross) send(to int32, c *contents) bool {
	p := a.owners[to]
	if int(p) == a.group.Rank() {
		return false
	}
	out := a.out[p]
	for _, n := range []uint64{c.label, c.mark, uint64(len(c.data))} {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	a.out[p] = append(out, c.data...)
	return true
}

// failedElsewhere in the place of the next window says that a process cannot go on.
const failedElsewhere = math.MinInt64

// meet brings what programs have sent in a window to where it goes, and returns the next window with
// records in any process (ps). If a process cannot go on, all have an error. All processes call it.
func (a *feedsAcross) meet(s *feeds, next int64) int64 {
	if s.err != nil {
		next = failedElsewhere
	}
	news := a.world.elsewhere.news.take()
	to := make([][]byte, len(a.out))
	for p := range to {
		head := binary.LittleEndian.AppendUint64(nil, uint64(next))
		head = binary.LittleEndian.AppendUint64(head, uint64(len(news[p])))
		to[p] = slices.Concat(head, news[p], a.out[p])
		a.out[p] = a.out[p][:0]
	}
	for p, data := range a.group.Swap(to) {
		if p == a.group.Rank() {
			continue
		}
		next = min(next, int64(binary.LittleEndian.Uint64(data)))
		rest := data[16:]
		told := rest[:binary.LittleEndian.Uint64(data[8:])]
		a.world.hear(p, told)
		a.take(s, p, rest[len(told):])
	}
	if next == failedElsewhere {
		s.fail(engine.ErrElsewhere)
	}
	return next
}

// take keeps contents that another process has sent.
func (a *feedsAcross) take(s *feeds, process int, data []byte) {
	for len(data) > 0 {
		label, mark := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
		size := binary.LittleEndian.Uint64(data[16:])
		own := data[sentHead : sentHead+size]
		data = data[sentHead+size:]
		s.contents[label] = contents{
			data: slices.Clone(own), mark: a.world.elsewhere.markFrom(process, mark), label: label,
		}
	}
}

// tellJournal passes records of a block to the first process, which keeps the journal.
func (w *World) tellJournal(block int, records []byte) {
	news := binary.LittleEndian.AppendUint32(nil, uint32(block))
	w.elsewhere.tell(0, true, newJournal, append(news, records...))
}

func (w *World) hearJournal(news []byte) {
	w.fed.flush(int(binary.LittleEndian.Uint32(news)), news[4:])
}

// gatherJournal brings what the other processes keep of their journals to the first.
func (w *World) gatherJournal() {
	w.exchangeNews()
	kept := &w.fed.kept
	known := map[Creation]bool{}
	for _, c := range kept.Contexts {
		known[c.Key] = true
	}
	for p, of := range processes.GatherFirst(w.elsewhere.group, *kept) {
		if p == 0 {
			continue
		}
		for _, c := range of.Contexts {
			if !known[c.Key] {
				known[c.Key] = true
				kept.Contexts = append(kept.Contexts, c)
			}
		}
		kept.Combination = max(kept.Combination, of.Combination)
		kept.Contents = append(kept.Contents, of.Contents...)
	}
}

// sameCombination makes a combination of a program that runs again known, in all processes, by the number
// that it had before.
func (w *World) sameCombination(before, now int64) {
	if before == 0 {
		return
	}
	w.combinations.Lock()
	w.keepCombination(nil, before, w.combinations.made[now])
	w.combinations.Unlock()
	if w.elsewhere != nil {
		news := binary.LittleEndian.AppendUint64(nil, uint64(before))
		w.elsewhere.tell(ToAll, true, newNumber, binary.LittleEndian.AppendUint64(news, uint64(now)))
	}
}

func (w *World) hearNumber(news []byte) {
	before, now := int64(binary.LittleEndian.Uint64(news)), int64(binary.LittleEndian.Uint64(news[8:]))
	w.combinations.Lock()
	defer w.combinations.Unlock()
	w.keepCombination(nil, before, w.combinations.made[now])
}
