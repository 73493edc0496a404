package recording

import (
	"cmp"

	"fabricast/collective"
	"fabricast/node"
	"fabricast/record"
)

// step is a row of the table of steps in memory. It holds no pointers, because there are many.
type step struct {
	Begin      int64 `parquet:"begin"`
	End        int64 `parquet:"end"`
	From       int64 `parquet:"from"`
	Via        int64 `parquet:"via"`
	Done       int64 `parquet:"done"`
	Noise      int64 `parquet:"noise"`
	Bytes      int64 `parquet:"bytes"`
	Rank       int32 `parquet:"rank"`
	Peer       int32 `parquet:"peer"`
	Tag        int32 `parquet:"tag"`
	State      int8  `parquet:"state"`
	Cause      int8  `parquet:"cause"`
	Late       int8  `parquet:"late"`
	Collective int8  `parquet:"collective"` // 1: the tag is that of a collective
}

// causes maps the kinds of causes to their words in tables.
var causes = [...]string{
	node.CauseNone: record.CauseNone, node.CauseMessage: record.CauseMessage, node.CauseRequest: record.CauseRequest,
	node.CauseData:  record.CauseData,
	node.CauseFetch: record.CauseFetch, node.CauseMatch: record.CauseMatch, node.CauseTimer: record.CauseTimer,
	node.CauseAccess: record.CauseAccess, node.CauseTurn: record.CauseTurn, node.CausePolling: record.CausePolling,
	node.CauseSend: record.CauseSend,
}

// Step implements node.Tracer: it records a period in which a rank did one thing, with its cause.
func (r *Recorder) Step(block int, s *node.Step) {
	if !r.looksAt(int64(s.End), s.Rank) {
		return
	}
	c := &s.Cause
	row := step{
		Rank: s.Rank, Begin: int64(s.Begin), End: int64(s.End), State: int8(s.State), Cause: int8(c.Kind),
		Peer: c.Peer, Tag: c.Tag, Bytes: c.Size, From: c.From, Via: c.Via, Done: c.At, Noise: s.Noise,
	}
	if c.Late {
		row.Late = 1
	}
	if c.Kind != node.CauseNone && c.Collective() {
		row.Collective = 1
	}
	r.steps.Add(block, &row)
}

// stepRow makes the row of the table for a step.
func stepRow(s *step, row *record.Step) {
	row.Rank, row.Begin, row.End = s.Rank, s.Begin, s.End
	row.State, row.Cause, row.Collective = states[s.State], causes[s.Cause], ""
	row.Peer, row.Tag, row.Bytes = s.Peer, s.Tag, s.Bytes
	row.From, row.Via, row.Late, row.Done, row.Noise = s.From, s.Via, s.Late, s.Done, s.Noise
	if s.Collective != 0 {
		row.Collective = string(collective.KindOf(s.Tag))
	}
}

func stepTime(s *step) int64 { return s.End }

func stepNumber(s *step) int32 { return s.Rank }

func compareSteps(a, b *step) int {
	return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Begin, b.Begin))
}
