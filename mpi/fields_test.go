package mpi

import (
	"testing"

	"fabricast/internal/snapshot"
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

// TestStateOfManyIterations: the state of a Loop's rank holds more iterations than 32 bits count.
func TestStateOfManyIterations(t *testing.T) {
	const many = 1<<32 + 5
	b := &replayer{loop: &Loop{}, together: 1}
	p, q := b.program(0).(*replay), b.program(1).(*replay)
	p.i = many
	if err := snapshot.Unpack(snapshot.Pack(p.State), q.State); err != nil || q.i != many {
		t.Errorf("iteration %d (%v), want %d", q.i, err, many)
	}
}
