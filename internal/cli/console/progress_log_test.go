package console

import (
	"strings"
	"testing"
	"time"
)

func TestProgressLogIsALineAMinute(t *testing.T) {
	var b strings.Builder
	l := progressLog{w: &b}
	for _, at := range []struct {
		elapsed time.Duration
		text    string
	}{{time.Second, "a"}, {59 * time.Second, "b"}, {60 * time.Second, "c"}, {119 * time.Second, "d"}, {time.Hour, "e"}} {
		l.Show(at.elapsed, at.text)
	}
	if got := b.String(); got != "c\ne\n" {
		t.Errorf("lines %q", got)
	}
}
