package replay_test

import (
	"testing"

	"fabricast/node/nodetest"
	"fabricast/replay"
	"fabricast/trace"
)

// The default parameters of LogGOPSim, in ps.
const (
	latencyL  = 2_500_000
	overheadO = 1_500_000
	byteG     = 6_000
)

// logGP executes tasks on a network in which a message of n bytes takes L + (n-1) G, and returns
// the end time of each rank.
func logGP(t *testing.T, g *graph) (ends []int64) {
	t.Helper()
	w := execute(
		t,
		g,
		machine{latency: latencyL - byteG, overhead: overheadO},
		replay.Options{},
		&nodetest.Network{ByteTime: byteG},
	)
	defer w.Close()
	if err := w.Err(); err != nil || w.Finished() != g.Ranks() {
		t.Fatalf("%v; %d ranks have ended: %v", err, w.Finished(), w.Deadlock())
	}
	for rank := range g.Ranks() {
		ends = append(ends, int64(w.Record(rank).End)/1000)
	}
	return ends
}

func sendTask(to int, size int64, after ...int64) trace.Task {
	return trace.Task{Kind: trace.TaskSend, Message: trace.Message{Peer: int32(to), Size: size}, After: after}
}

func receiveTask(from int, size int64, after ...int64) trace.Task {
	return trace.Task{
		Kind:    trace.TaskReceive,
		Message: trace.Message{Receive: true, Peer: int32(from), Size: size},
		After:   after,
	}
}

// TestMessagesTakeLogGPTimes compares the times of messages with results of LogGOPSim (ns).
func TestMessagesTakeLogGPTimes(t *testing.T) {
	for size, want := range map[int64]int64{8: 5542, 65535: 398_704} {
		ends := logGP(
			t,
			&graph{
				groups: [][]int32{nil},
				ranks:  [][]trace.Task{{sendTask(1, size)}, {receiveTask(0, size)}},
			},
		)
		if ends[0] != 1500 || ends[1] != want {
			t.Errorf("%d bytes: ranks end at %v, want 1500 and %d", size, ends, want)
		}
	}
}

// TestCollectivesTakeLogGPTimes compares the times of collectives of 1024 ranks with results of
// LogGOPSim (ns).
func TestCollectivesTakeLogGPTimes(t *testing.T) {
	const ranks, want = 1024, 55_420
	barrier := &graph{groups: [][]int32{nil}, ranks: make([][]trace.Task, ranks)}
	broadcast := &graph{groups: [][]int32{nil}, ranks: make([][]trace.Task, ranks)}
	for r := range ranks {
		var after []int64
		for d := 1; d < ranks; d *= 2 {
			n := int64(len(barrier.ranks[r]))
			barrier.ranks[r] = append(
				barrier.ranks[r], sendTask((r+d)%ranks, 8, after...),
				receiveTask((r+ranks-d)%ranks, 8, after...),
			)
			after = []int64{n, n + 1}
		}
		broadcast.ranks[r] = []trace.Task{
			{Kind: trace.TaskCollective, Call: trace.Operation{Kind: trace.Broadcast, Size: 8}},
		}
	}
	for name, g := range map[string]*graph{"barrier by dissemination": barrier, "broadcast by a binomial tree": broadcast} {
		last := int64(0)
		for _, end := range logGP(t, g) {
			last = max(last, end)
		}
		if last != want {
			t.Errorf("%s ends at %d, want %d", name, last, want)
		}
	}
}
