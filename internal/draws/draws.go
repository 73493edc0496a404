// Package draws says how much tests draw at random. Each commit draws others of the experiments that
// take long, so that over time many are seen, while a commit passes or fails always. Long tests draw
// thousands.
package draws

import (
	"iter"
	"os"
	"strconv"
	"testing"
)

// Long reports whether tests may take hours: FABRICAST_LONG is set, as scripts/test --long does.
func Long() bool { return os.Getenv("FABRICAST_LONG") != "" }

// Round is the number of the range of seeds to be drawn from: FABRICAST_ROUND, which scripts/test sets to
// the number of commits; 0 if it is not set.
func Round() uint64 {
	round, err := strconv.ParseUint(os.Getenv("FABRICAST_ROUND"), 10, 32)
	if err != nil {
		return 0
	}
	return round
}

// Seeds are the seeds of what a test draws: a few, others in each round, an eighth of them in short tests, or
// in long tests the first many.
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
