package plan

import (
	"strings"
	"testing"

	"fabricast/internal/config"
)

// TestLossLines reads Netgauge's numbers and times with units, of the first recording of a file, and
// refuses what is no loss with its line.
func TestLossLines(t *testing.T) {
	for _, text := range []string{
		"# Netgauge\n0.00\t13112.53\n15013392.50\t23126.17\n0.00\t1.0\n",
		"0s 13112530ps # first\n\n15013392.5ns 23126170ps\n",
	} {
		losses, problems := lossLines(&config.Source{Name: "noise", Text: text})
		if len(problems) > 0 || losses.Len() != 2 || losses.Lost() != 36238700 {
			t.Errorf("%q: %d losses, %v, %v", text, losses.Len(), losses.Lost(), problems)
		}
	}
	for text, want := range map[string]string{
		"0 5us\n3ms\n":         "noise:2:1: loss: found 3ms",
		"0 5\n10 2\n9 x\n":     "noise:3:1: loss: found 9 x",
		"5ms 1us\n1ms 1us\n":   "noise:2:1: loss: found 1ms 1us",
		"-1 5\n":               "noise:1:1",
		"# nothing\n":          "noise:1:1: loss: found none",
		"0 100us\n101us 9us\n": "at most half of the time",
	} {
		_, problems := lossLines(&config.Source{Name: "noise", Text: text})
		if len(problems) == 0 || !strings.Contains(problems.Error(), want) {
			t.Errorf("%q: %v, want %s", text, problems, want)
		}
	}
}
