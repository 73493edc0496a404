package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"

	"fabricast/engine"
	"fabricast/experiment"
	"fabricast/internal/cluster"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/internal/plan"
	"fabricast/internal/version"
)

// workersHere returns the number of workers of each process, which is the same in all processes.
func (s *settings) workersHere() int {
	workers := s.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return int(cluster.Min(s.group, int64(min(workers, max(mostBlocks, runtime.GOMAXPROCS(0))))))
}

// allBlocks returns the total number of partition blocks in all processes.
func (s *settings) allBlocks() int {
	return cmp.Or(s.blocks, max(1, s.workers)*sizeOf(s.group))
}

// recorded reports whether the run has a result folder, which only the first process writes.
func (s *settings) recorded() bool { return s.out != "" }

// folderHere returns the result folder that this process writes; "" if it writes none.
func (s *settings) folderHere() string {
	if !cluster.First(s.group) {
		return ""
	}
	return s.out
}

// sentError is an error as sent to other processes.
type sentError struct {
	Text, Host string
	Process    int
	Elsewhere  bool // the process only reports that another one has failed
}

// Settle makes all processes of the option Across return an error if any of them has one. It
// returns err if that is not nil; otherwise a *failure.ProcessError if another process has an
// error.
func Settle(err error, options ...Option) error {
	var s settings
	for _, o := range options {
		o(&s)
	}
	return s.settle(err)
}

// settle makes all processes return an error if any of them has one: a process returns its own
// error if it has one, and otherwise that of the first process with an error, as a
// *failure.ProcessError. All processes must call it at the same point of the run.
func (s *settings) settle(err error) error {
	if !cluster.Several(s.group) {
		return err
	}
	own := sentError{Process: -1}
	if err != nil {
		host, _ := os.Hostname()
		own = sentError{err.Error(), host, s.group.Rank(), errors.Is(err, engine.ErrElsewhere)}
	}
	if !cluster.Any(s.group, err != nil) {
		return nil
	}
	for _, found := range cluster.GatherValues(s.group, own) {
		switch {
		case err != nil && !own.Elsewhere:
			continue
		case found.Process >= 0 && !found.Elsewhere:
			return &failure.ProcessError{
				Process: found.Process, Of: s.group.Size(), Host: found.Host, Err: errors.New(found.Text),
			}
		}
	}
	return err
}

// all reports whether here is true in all processes.
func (s *settings) all(here bool) bool { return !cluster.Any(s.group, !here) }

// interruption returns the reason why a run was stopped: the context's error, or context.Canceled
// if another process was interrupted.
func interruption(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Canceled
}

// checkAcross returns an error if several processes cannot share the experiment, or if the group
// has a different number of processes than the experiment requires.
func (s *settings) checkAcross(p *plan.Plan) error {
	want, have := p.Experiment.Engine.Processes, sizeOf(s.group)
	if want > 0 && want != have && s.from == nil {
		return p.Experiment.Refuse(
			"engine.processes", strconv.Itoa(want), fmt.Sprintf("%d, the processes of this run", have),
			fmt.Sprintf("mpirun -n %d fabricast run ... starts so many", want),
		)
	}
	if !cluster.Several(s.group) {
		return nil
	}
	if reason := s.unfit(p); reason != "" {
		return failure.NewConfigError(fmt.Errorf(
			"found %d processes, expected one: %s", s.group.Size(), reason,
		))
	}
	return nil
}

// unfit returns the reason why several processes cannot share a run; "" if they can.
func (s *settings) unfit(p *plan.Plan) string {
	e := p.Experiment
	return first([]reason{
		{ownLaunch(e), "what the ranks of a job's Launch share is not known (Job.Common)"},
		{e.Network.Abstract(), "networks without packets are so fast that messages between " +
			"processes would take most of the time"},
		{
			e.Launch != nil && !e.Apart && e.Common == nil,
			"what the ranks of Launch share is not known (Experiment.Common, Experiment.Apart)",
		},
		{s.hottest > 0, "the hottest links are known to the process that has them"},
	})
}

// reason is a reason to refuse a run, with the condition under which it applies.
type reason struct {
	found bool
	text  string
}

// first returns the first reason whose condition is true; "" if there is none.
func first(list []reason) string {
	for _, r := range list {
		if r.found {
			return r.text
		}
	}
	return ""
}

// ownLaunch reports whether a job has a Launch function without information about its shared state.
func ownLaunch(e *experiment.Resolved) bool {
	return slices.ContainsFunc(e.Jobs, func(j experiment.Job) bool {
		return j.Launch != nil && j.Common == nil && !j.Replays()
	})
}

// several returns the number of processes if there is more than one, otherwise 0.
func several(g cluster.Group) int {
	if cluster.Several(g) {
		return g.Size()
	}
	return 0
}

// sameAcross returns a configuration error, the same in all processes, if the processes that share
// the run were given different experiments, files or options. It must be the first exchange between
// the processes.
func (s *settings) sameAcross(e *experiment.Resolved) error {
	if !cluster.Several(s.group) {
		return nil
	}
	traits, err := traitsOf(e)
	if err = s.settle(err); err != nil {
		return err
	}
	return failure.NewConfigError(cluster.Same(s.group, append(traits, s.traits(e)...)))
}

// traitsOf returns the fields of an experiment and the contents of the files that it names.
func traitsOf(e *experiment.Resolved) ([]cluster.Trait, error) {
	list := []cluster.Trait{{Name: "version of Fabricast", Value: version.Full()}}
	text, err := e.YAML()
	if err != nil {
		return nil, err
	}
	root, err := config.Parse(&config.Source{Name: "experiment", Text: string(text)})
	if err != nil {
		return nil, err
	}
	config.EachValue(root, func(path, value string) {
		list = append(list, cluster.Trait{Name: path, Value: value})
	})
	err = e.EachNamed(func(field, path string) error {
		print := input.Print(path)
		list = append(list, cluster.Trait{Name: field + " (" + path + ")", Value: print, Unknown: print == ""})
		return nil
	})
	return list, err
}

// traits returns the options on which all processes must agree, because they determine the
// exchanges between processes during a run.
func (s *settings) traits(e *experiment.Resolved) (list []cluster.Trait) {
	add := func(name, value string) { list = append(list, cluster.Trait{Name: name, Value: value}) }
	given := func(name string, is bool) {
		if is {
			add(name, "one")
		}
	}
	given("result folder", s.recorded())
	given("program in Go", e.OwnProgram())
	given("trace or program in C", e.Launch != nil)
	given("recorder of programs", s.wrap != nil)
	given("runs of jobs alone", s.interference)
	if s.checkpoints != nil {
		add("checkpoints", strconv.Itoa(s.checkpoints.Blocks)+" blocks")
	}
	if f := s.from; f != nil {
		add("checkpoint to go on from", fmt.Sprintf("%s at %d ps", f.Fingerprint, int64(f.Time)))
	}
	if s.look != nil {
		add("period to look at", fmt.Sprintf("%+v", *s.look))
	}
	return list
}
