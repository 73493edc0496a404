package probe

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of an observer is saved, or need not be.
func TestProbeStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: Observer{},
			Saved: "begin until interval told waits waiting streaming later buffers laterBuffers filled arrived since sums " +
				"holds",
			Constant: "Observation Numbering sentBy spec block events vcs outputs nics messages senders general first count numVCs firstPort ports " +
				"firstNIC firstVC exact order logged settle nicList nicPlace",
			Passing: "last pile message bin attempt hop",
		},
	)
}
