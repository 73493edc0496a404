package replay_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/replay"
	"fabricast/trace"
)

// TestTables: ranks that hold all their tasks in a table have the same results as ranks that read
// them piece by piece: on networks with packets and by LogGOPS, whichever end states dependencies, with
// receives from anyone, and if tasks wait for one another for ever.
func TestTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawSchedule(t)
		forAnyone(t, g)
		for rank := range g.ranks {
			g.ranks[rank] = longer(t, stateElsewhere(t, g.ranks[rank]))
		}
		e := fabricast.Experiment{Ranks: len(g.ranks)}
		if rapid.Bool().Draw(t, "packets") {
			e.Network = experiment.Network{Topology: topologies().Draw(t, "network")}
		} else {
			_, e.Network = drawLogGOPS(t)
		}
		o := replay.Options{Sets: rapid.Bool().Draw(t, "sets")}
		outcomeOf := func(short bool) string {
			g.short = short
			run := replayed(t, e, g, o)
			result, err := run.Run(t.Context(), fabricast.Workers(rapid.IntRange(1, 3).Draw(t, "workers")))
			if err != nil {
				return err.Error()
			}
			return result.Hash
		}
		if want, got := outcomeOf(false), outcomeOf(true); got != want {
			t.Fatalf("%s, piece by piece %s", got, want)
		}
	})
}

// forAnyone makes some receives accept messages from any rank.
func forAnyone(t *rapid.T, g *graph) {
	for _, tasks := range g.ranks {
		for i := range tasks {
			if tasks[i].Kind == trace.TaskReceive && rapid.IntRange(0, 5).Draw(t, "anyone") == 0 {
				tasks[i].Message.Peer = trace.Any
			}
		}
	}
}

// stateElsewhere states some dependencies at the task that others wait for, and sometimes adds a
// dependency on a later task, or one that nothing states.
func stateElsewhere(t *rapid.T, tasks []trace.Task) []trace.Task {
	for i := range tasks {
		w := &tasks[i]
		w.After = slices.DeleteFunc(w.After, func(on int64) bool {
			moves := rapid.Bool().Draw(t, "end")
			if moves {
				tasks[on].Before = append(tasks[on].Before, int64(i))
				w.Awaits++
			}
			return moves
		})
		w.Started = slices.DeleteFunc(w.Started, func(on int64) bool {
			moves := rapid.Bool().Draw(t, "start")
			if moves {
				tasks[on].BeforeAt = append(tasks[on].BeforeAt, int64(i))
				w.Awaits++
			}
			return moves
		})
	}
	if n := len(tasks); n > 1 && rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
		w := &tasks[rapid.IntRange(0, n-2).Draw(t, "task")]
		if rapid.Bool().Draw(t, "unstated") {
			w.Awaits++
		} else {
			w.After = append(w.After, int64(n-1))
		}
	}
	return tasks
}

// longer sometimes puts so many computations in front of a rank's tasks that the rank cannot read all
// ahead, of which only the last may start.
func longer(t *rapid.T, tasks []trace.Task) []trace.Task {
	if rapid.IntRange(0, 7).Draw(t, "long") > 0 {
		return tasks
	}
	const n = 1500
	list := make([]trace.Task, n, n+len(tasks))
	for i := range list {
		list[i] = trace.Task{Duration: 1000 * int64(i%3)}
		if i > 1000 {
			list[i].After = []int64{int64(i - 1000)}
		}
	}
	shift := func(numbers []int64) {
		for i := range numbers {
			numbers[i] += n
		}
	}
	for _, task := range tasks {
		shift(task.After)
		shift(task.Started)
		shift(task.Before)
		shift(task.BeforeAt)
		list = append(list, task)
	}
	return list
}
