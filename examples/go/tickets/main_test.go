package main

import (
	"encoding/binary"
	"testing"

	"fabricast/examples/go/internal/golden"
)

func TestTickets(t *testing.T) {
	f := new(farm)
	golden.Check(t, "tickets", f.experiment())
	for job := range uint64(jobs) {
		if got := binary.LittleEndian.Uint64(f.results[8*job:]); got != job*job {
			t.Fatalf("result of job %d is %d", job, got)
		}
	}
	if f.least < 1 {
		t.Errorf("a rank has done %d jobs", f.least)
	}
}
