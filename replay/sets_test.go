package replay_test

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/replay"
	"fabricast/trace"
)

// TestSetsTakeFewerEvents checks that with Options.Sets a rank checks for arrivals once for each
// set of eligible tasks, otherwise once for each task. No messages arrive meanwhile, so the
// prediction is the same.
func TestSetsTakeFewerEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.IntRange(1, 3).Draw(t, "ranks")
		sets := rapid.SliceOfN(rapid.IntRange(1, 20), 1, 6).Draw(t, "sets")
		g := &graph{groups: [][]int32{nil}, ranks: make([][]trace.Task, ranks)}
		all := int64(0)
		for rank := range g.ranks {
			var tasks []trace.Task
			joined := []int64(nil)
			for _, size := range sets {
				join := trace.Task{Kind: trace.TaskNothing}
				for range size {
					join.After = append(join.After, int64(len(tasks)))
					tasks = append(tasks, trace.Task{Duration: 1000, After: joined})
					all++
				}
				joined = []int64{int64(len(tasks))}
				tasks = append(tasks, join)
			}
			g.ranks[rank] = tasks
		}
		e := fabricast.Experiment{
			Network: experiment.Network{Topology: topologies().Draw(t, "network")}, Ranks: ranks,
		}
		var ends []fabricast.Time
		for together, looks := range map[bool]int64{
			false: all + int64(ranks), true: int64(ranks * (len(sets) + 1)),
		} {
			e := replayed(t, e, g, replay.Options{Sets: together})
			r, err := e.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := looks + int64(2*ranks); r.Events != want { // start and end of each rank
				t.Fatalf("sets %v: %d events, want %d", together, r.Events, want)
			}
			ends = append(ends, r.SimulatedTime)
		}
		if ends[0] != ends[1] {
			t.Fatalf("ends at %v, with sets or without at %v", ends[0], ends[1])
		}
	})
}
