package slurm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// States counts the tasks of a job by state.
type States struct {
	Waiting int
	Reason  string // why the first waiting task waits, in Slurm's words; "" if unknown
	Running int
	Ended   int            // successfully
	Failed  map[string]int // by Slurm's name of the state, such as TIMEOUT
}

// Active reports whether any task waits or runs.
func (s *States) Active() bool { return s.Waiting+s.Running > 0 }

// String describes the tasks for messages.
func (s *States) String() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(s.Running, "running")
	waiting := "waiting"
	if s.Reason != "" {
		waiting += " (" + s.Reason + ")"
	}
	add(s.Waiting, waiting)
	add(s.Ended, "ended")
	for _, word := range slices.Sorted(maps.Keys(s.Failed)) {
		add(s.Failed[word], word)
	}
	if parts == nil {
		return "no longer known"
	}
	return strings.Join(parts, ", ")
}

// Slurm's names for states other than failures.
var (
	waiting = []string{
		"PENDING",
		"CONFIGURING",
		"REQUEUED",
		"REQUEUE_FED",
		"REQUEUE_HOLD",
		"SPECIAL_EXIT",
		"RESV_DEL_HOLD",
	}
	running = []string{"RUNNING", "COMPLETING", "SIGNALING", "STAGE_OUT", "STOPPED", "SUSPENDED", "RESIZING"}
)

// parse parses the output of squeue: a state and a reason a line, for each task.
func parse(out string) States {
	s := States{Failed: map[string]int{}}
	for line := range strings.Lines(out) {
		state, reason, _ := strings.Cut(strings.TrimSpace(line), "|")
		switch {
		case state == "":
		case slices.Contains(waiting, state):
			s.Waiting++
			if reason != "None" && s.Reason == "" {
				s.Reason = reason
			}
		case slices.Contains(running, state):
			s.Running++
		case state == "COMPLETED":
			s.Ended++
		default:
			s.Failed[state]++
		}
	}
	return s
}
