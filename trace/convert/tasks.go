package convert

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"

	"fabricast/trace"
)

// tasksAsGOAL writes the tasks of t as GOAL. A task becomes several GOAL tasks: the label of the
// first one starts with s, and the label of the last one with e. It returns the number of ranks in
// which times were rounded to whole nanoseconds.
func tasksAsGOAL(w *bufio.Writer, t trace.Graph) (rounded int64, err error) {
	fmt.Fprintf(w, "num_ranks %d\n", t.Ranks())
	for rank := range t.Ranks() {
		fmt.Fprintf(w, "rank %d {\n", rank)
		some, err := tasksOf(w, t, rank)
		if err != nil {
			return rounded, err
		}
		if some {
			rounded++
		}
		fmt.Fprint(w, "}\n")
	}
	return rounded, nil
}

func tasksOf(w *bufio.Writer, g trace.Graph, rank int) (rounded bool, err error) {
	s, err := g.OpenTasks(rank)
	if err != nil {
		return false, err
	}
	var t trace.Task
	n, later := int64(0), map[int64][]string{} // dependencies not yet written, by the later of the two tasks
	for err = s.Next(&t); err == nil; err = s.Next(&t) {
		if err := writeTask(w, rank, n, &t); err != nil {
			return false, err
		}
		rounded = rounded || t.Kind == trace.TaskCompute && inFractions(&t)
		state := func(format string, waits, other int64) {
			line := fmt.Sprintf(format, waits, other)
			if last := max(waits, other); last > n { // labels may be used only after their tasks
				later[last] = append(later[last], line)
				return
			}
			fmt.Fprint(w, line)
		}
		for _, line := range later[n] {
			fmt.Fprint(w, line)
		}
		delete(later, n)
		for _, d := range t.After {
			state("s%d requires e%d\n", n, d)
		}
		for _, d := range t.Started {
			state("s%d irequires s%d\n", n, d)
		}
		for _, d := range t.Before {
			state("s%d requires e%d\n", d, n)
		}
		for _, d := range t.BeforeAt {
			state("s%d irequires s%d\n", d, n)
		}
		n++
	}
	if err == io.EOF && len(later) > 0 {
		return false, &Error{Format: goalName, Rank: rank, What: fmt.Sprintf(
			"dependencies on task %d, which the rank does not have", slices.Min(slices.Collect(maps.Keys(later))),
		)}
	}
	if err != io.EOF {
		return false, err
	}
	return rounded, nil
}

// inFractions reports whether computation t has a time that is not a whole number of nanoseconds.
func inFractions(t *trace.Task) bool {
	return t.Duration%picosecondsPerNanosecond != 0 || slices.ContainsFunc(t.Sends, func(s trace.OffsetSend) bool {
		return s.Offset%picosecondsPerNanosecond != 0
	})
}

// nanoseconds converts ps to nanoseconds, rounded to the nearest.
func nanoseconds(ps int64) int64 {
	return (ps + picosecondsPerNanosecond/2) / picosecondsPerNanosecond
}

// writeTask writes task n as GOAL tasks. Other tasks refer to the start of the task by label s<n>
// and to its end by label e<n>.
func writeTask(w *bufio.Writer, rank int, n int64, t *trace.Task) error {
	cpu := ""
	if t.Lane != 0 {
		cpu = fmt.Sprintf(" cpu %d", t.Lane)
	}
	message := func(m *trace.Message) (string, error) {
		tag, ok := plainTag(m)
		if !ok {
			return "", &Error{Format: goalName, Rank: rank, What: fmt.Sprintf(
				"tag %d of communicator %d", m.Tag, m.Group,
			)}
		}
		return fmt.Sprint(tag), nil
	}
	nic := ""
	if t.NIC > 1 {
		nic = fmt.Sprintf(" nic %d", t.NIC-1)
	}
	switch t.Kind {
	case trace.TaskUntil:
		return &Error{Format: goalName, Rank: rank, What: fmt.Sprintf("times of starts (task %d)", n)}
	case trace.TaskCollective:
		return &Error{Format: goalName, Rank: rank, What: fmt.Sprintf("collectives among tasks (task %d)", n)}
	case trace.TaskSend, trace.TaskReceive:
		tag, err := message(&t.Message)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "s%d: calc 0\n", n)
		if t.Kind == trace.TaskSend {
			fmt.Fprintf(w, "e%d: send %db to %d tag %s%s\n", n, t.Message.Size, t.Message.Peer, tag, nic)
		} else {
			fmt.Fprintf(w, "e%d: recv %db from %d tag %s\n", n, t.Message.Size, t.Message.Peer, tag)
		}
	default:
		fmt.Fprintf(w, "s%d: calc 0%s\n", n, cpu)
		before, at := fmt.Sprintf("s%d", n), int64(0)
		for i := range t.Sends {
			tag, err := message(&t.Sends[i].Message)
			if err != nil {
				return err
			}
			until := nanoseconds(t.Sends[i].Offset)
			part := fmt.Sprintf("p%d_%d", n, i)
			fmt.Fprintf(w, "%s: calc %d%s\n%s requires %s\n", part, until-at, cpu, part, before)
			fmt.Fprintf(
				w, "m%d_%d: send %db to %d tag %s\nm%d_%d requires %s\n", n, i,
				t.Sends[i].Message.Size, t.Sends[i].Message.Peer, tag, n, i, part,
			)
			before, at = part, until
		}
		fmt.Fprintf(w, "e%d: calc %d%s\n", n, nanoseconds(t.Duration)-at, cpu)
		fmt.Fprintf(w, "e%d requires %s\n", n, before)
		return nil
	}
	fmt.Fprintf(w, "e%d requires s%d\n", n, n)
	return nil
}
