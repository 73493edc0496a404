package bench

import "testing"

// TestReading demands that all events of the traces are read: an all-to-all of n ranks has 2 (n-1)
// calls that start a message and one that waits on each of them.
func TestReading(t *testing.T) {
	const ranks, started = 128, 2 * 127
	for name, perRank := range map[string]int64{
		// each call begins and ends, those that start messages and the wait with an event for each
		"otf2-reading":  2*2 + 3*started + 2 + started,
		"dumpi-reading": started + 1,
	} {
		m, err := Measure(t.Context(), name, false)
		if err != nil {
			t.Fatal(err)
		}
		if want := ranks * perRank; m.TraceEvents != want {
			t.Errorf("%s: %d events, expected %d", name, m.TraceEvents, want)
		}
	}
}
