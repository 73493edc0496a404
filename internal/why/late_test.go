package why

import (
	"strings"
	"testing"

	"fabricast/record"
)

// TestLatestStart: the latest start is told, also that of a rank which does nothing else.
func TestLatestStart(t *testing.T) {
	l := newLateStarts(3)
	l.take(&record.Step{Rank: 1, Begin: 700, End: 900}, nil)
	wait := record.Step{Rank: 0, Begin: 0, End: 800, Collective: "barrier"}
	l.take(&wait, []origin{{delayKey{doing: DoingStart}, 600}})
	p := &Path{
		Segments: []Segment{{Cause: Start, Rank: 2, End: 5000, Time: 5000}},
		Waits:    &Waits{Delays: []Delay{{Rank: 1, Doing: DoingStart, Direct: 600}}},
	}
	s := l.of(p)
	if s == nil || s.Most != 5000 || s.Waits != 600 || s.Path.Cost != 5000 || s.Path.Waiter != -1 {
		t.Fatalf("%+v", s)
	}
	for _, want := range []string{
		"Ranks 1 to 2 start up to 5 ns late", "at least 600 ps, all of it in barrier",
	} {
		if !strings.Contains(s.Words, want) {
			t.Errorf("nothing says %q: %s", want, s.Words)
		}
	}
	p.Segments = nil
	if s := l.of(p); s == nil || s.Most != 700 || s.Path != nil ||
		!strings.HasPrefix(s.Words, "Rank 1 starts 700 ps late") {
		t.Errorf("without a late start on the path: %+v", s)
	}
}
