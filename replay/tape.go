package replay

import (
	"slices"
	"unsafe"

	"fabricast/trace"
)

// tapeLength is the minimum number of records on a full tape. It is enough for the rollbacks of an
// optimistic run, which go back by a few simulation windows.
const tapeLength = 128

// ForecastTape returns the maximum memory, in bytes, of the tape of a rank, without the slices of
// requests and block sizes in its records.
func ForecastTape() int64 { return 2 * tapeLength * int64(unsafe.Sizeof(taped{})) }

// tape holds the last records that a rank has read, so that the rank can be rolled back without
// reading its trace again. It exists if states of the rank are saved in memory.
type tape struct {
	records []taped
	end     int64 // number of records read from the trace
}

// taped is a record with the state of the rank before the record.
type taped struct {
	record trace.Record
	factor float64
	depth  int // number of regions that the rank was in
}

// first returns the index in the trace, from 0, of the oldest record on the tape.
func (t *tape) first() int64 { return t.end - int64(len(t.records)) }

// newTape returns a tape that holds the current record of player p.
func newTape(p *player) *tape {
	t := &tape{end: p.count}
	if p.count > 0 {
		t.records = append(t.records, tapedOf(p))
	}
	return t
}

// tapedOf returns a copy of the current record of player p. The copy shares no memory with the
// trace.
func tapedOf(p *player) taped {
	r := p.record
	r.Requests, r.Call.Blocks = slices.Clone(r.Requests), slices.Clone(r.Call.Blocks)
	return taped{r, p.factor, len(p.factors)}
}

// add adds the record that player p has just read from its trace.
func (t *tape) add(p *player) {
	if len(t.records) == 2*tapeLength {
		t.records = append(t.records[:0], t.records[tapeLength:]...)
	}
	t.records = append(t.records, tapedOf(p))
	t.end++
}

// next sets the record of player p to the next record on the tape. It returns false if the player
// must read the next record from the trace.
func (t *tape) next(p *player) bool {
	if t == nil || p.count == t.end {
		return false
	}
	p.record = t.records[p.count-t.first()].record
	return true
}

// rewind rolls player p back to its state after count records. It returns false if the tape does
// not hold the required records.
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

// undo reverts the effects of player.pass for the record.
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
