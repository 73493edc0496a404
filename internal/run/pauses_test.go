package run

import (
	"slices"
	"testing"

	"fabricast/record"
)

// TestRootsOfPauses: pauses spread from link 9 to 5, from there to 3 and to NIC 20, and from 3 to NIC 21. Those of
// link 4 that begin while it is paused itself have no root of their own.
func TestRootsOfPauses(t *testing.T) {
	rows := []record.Pause{
		{Link: 5, For: 9, Pauses: 3, Time: 300},
		{Link: 3, For: 5, Pauses: 2, Time: 100, PassedOn: 2, PassedTime: 100},
		{Link: 20, For: 5, Pauses: 2, Time: 90, PassedOn: 1, PassedTime: 50},
		{Link: 21, For: 3, Pauses: 1, Time: 10, PassedOn: 1, PassedTime: 10},
		{Link: 9, For: 3, Pauses: 1, Time: 10, PassedOn: 1, PassedTime: 10}, // a circle
		{Link: 7, For: 4, Pauses: 1, Time: 5, PassedOn: 1, PassedTime: 5},
		{Link: 5, For: 9, Class: 1, Pauses: 1, Time: 1000},
	}
	names := map[int32]named{9: {"nine", false}, 5: {"five", false}, 20: {"", true}, 21: {"", true}}
	want := []PauseRoot{
		{Link: "nine", Class: 1, Time: 1000, Links: 1, Depth: 1},
		{Link: "nine", Time: 300, Links: 4, Hosts: 2, Depth: 3},
		{Link: "five", Time: 40, Links: 1, Hosts: 1, Depth: 1},
	}
	if got := rootsOf(rows, names); !slices.Equal(got, want) {
		t.Errorf("%+v\nexpected %+v", got, want)
	}
}
