package mpi

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of the program of a Loop's rank is saved, or need not be.
func TestStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{Of: replay{}, Saved: "i done", Parts: "replayer", Constant: "number", Passing: "rounds"},
		fieldtest.State{
			Of: replayer{}, Saved: "open", Constant: "loop together", Passing: "rank cursor states ranks rounds",
		},
		fieldtest.State{Of: stepped{}, Saved: "done within kept", Parts: "steps", Constant: "stepper"},
		fieldtest.State{Of: savedStepped{}, Parts: "stepped saved"},
	)
}
