package main

import (
	"testing"

	"fabricast/examples/go/internal/golden"
)

func TestEveryRankPassesOnAsManyMessagesAsThereAreRanks(t *testing.T) {
	const ranks = 16
	r := golden.Check(t, "ring", ring(ranks))
	if want := int64(ranks * (ranks + 2)); r.Messages != want || r.Unreceived != 0 {
		t.Errorf("%d messages, %d of them not received, want %d", r.Messages, r.Unreceived, want)
	}
}
