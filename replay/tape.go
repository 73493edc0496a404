package replay

import (
	"slices"
	"unsafe"

	"fabricast/trace"
)

// tapeLength is the minimum number of records that a rank keeps, so that it can be rolled back
// without reading its trace again: an optimistic run rolls back by a few windows.
const tapeLength = 128

// ForecastTape returns the maximum memory (bytes) of the records that a rank keeps for rollbacks,
// without the lists of requests and of blocks in them.
func ForecastTape() int64 { return 2 * tapeLength * int64(unsafe.Sizeof(taped{})) }

// tape holds the records that a rank has read last, if its state is saved in memory.
type tape struct {
	records []taped
	end     int64 // records read from the trace
}

// taped is a record with the rank's computation factors before the record.
type taped struct {
	record trace.Record
	factor float64
	depth  int // of regions
}

// first is the number of the oldest record, from 0.
func (t *tape) first() int64 { return t.end - int64(len(t.records)) }

// newTape makes a tape with the current record of a player.
func newTape(p *player) *tape {
	t := &tape{end: p.count}
	if p.count > 0 {
		t.records = append(t.records, tapedOf(p))
	}
	return t
}

// tapedOf returns a copy of a player's current record, which shares no memory with the trace.
func tapedOf(p *player) taped {
	r := p.record
	r.Requests, r.Call.Blocks = slices.Clone(r.Requests), slices.Clone(r.Call.Blocks)
	return taped{r, p.factor, len(p.factors)}
}

// add keeps the record that a player has just read from its trace.
func (t *tape) add(p *player) {
	if len(t.records) == 2*tapeLength {
		t.records = append(t.records[:0], t.records[tapeLength:]...)
	}
	t.records = append(t.records, tapedOf(p))
	t.end++
}

// next gives a player a record that it has read before. It returns false if the trace has to be read.
func (t *tape) next(p *player) bool {
	if t == nil || p.count == t.end {
		return false
	}
	p.record = t.records[p.count-t.first()].record
	return true
}

// rewind moves a player to the state after count records. It returns false if the records are not
// on the tape.
func (t *tape) rewind(p *player, count int64) bool {
	first := int64(0)
	if t != nil && t.first() > 0 {
		first = t.first() + 1
	}
	if t == nil || count < first || count > p.count {
		return false
	}
	for p.count > count {
		p.count--
		t.records[p.count-t.first()].undo(p)
	}
	if count > 0 {
		p.record = t.records[count-1-t.first()].record
	}
	p.over = false
	return true
}

// undo reverts the effects of pass.
func (t *taped) undo(p *player) {
	switch {
	case t.record.Kind == trace.Skipped:
		if p.skipped[t.record.Name]--; p.skipped[t.record.Name] == 0 {
			delete(p.skipped, t.record.Name)
		}
	case len(p.factors) < t.depth:
		p.factors = append(p.factors, p.factor)
	case len(p.factors) > t.depth:
		p.factors = p.factors[:t.depth]
	}
	p.factor = t.factor
}
