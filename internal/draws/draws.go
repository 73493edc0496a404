// Package draws determines how many random experiments tests draw. Tests that take long draw
// different experiments for each commit, so that many are covered over time, while the result for a
// given commit is always the same. Long tests draw thousands.
package draws

import (
	"iter"
	"os"
	"strconv"
	"testing"
)

// Long reports whether tests may take hours: FABRICAST_LONG is set, as scripts/test --long does.
func Long() bool { return os.Getenv("FABRICAST_LONG") != "" }

// Round returns the index of the range of seeds to draw from: FABRICAST_ROUND, which scripts/test
// sets to the number of commits; 0 if it is not set.
func Round() uint64 {
	round, err := strconv.ParseUint(os.Getenv("FABRICAST_ROUND"), 10, 32)
	if err != nil {
		return 0
	}
	return round
}

// Seeds yields the seeds of a test's draws: `few` of them, different in each round (an eighth of
// them in short tests), or the first `many` in long tests.
func Seeds(few, many uint64) iter.Seq[uint64] {
	if testing.Short() {
		few = max(1, few/8)
	}
	first, count := few*Round(), few
	if Long() {
		first, count = 0, many
	}
	return func(yield func(uint64) bool) {
		for seed := first; seed < first+count && yield(seed); seed++ {
		}
	}
}
