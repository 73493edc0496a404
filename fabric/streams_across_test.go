package fabric_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/engine/timewarp"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/draws"
	"fabricast/internal/oracle/experiments"
	"fabricast/routing"
)

// TestStreamsAcross compares runs that two to four processes share with the oracle: with workers that wait
// for all others, or for those of neighbours, and with parts that run ahead and are taken back.
func TestStreamsAcross(t *testing.T) {
	for range 5 {
		// what a part received when it failed was received again after it had been taken back; more packets went by
		// a part at rest than its buffers hold
		for _, seed := range []uint64{45_574, 9021} {
			if text, _ := across(experiments.DrawStreams(70_000_000+seed), seed); text != "" {
				t.Fatal(text)
			}
		}
	}
	var crossed uint64
	for seed := range draws.Seeds(30, 10_000) {
		e := streamsDraw(seed)(70_000_000 + seed)
		text, n := across(e, seed)
		if text != "" {
			small := experiments.Shrink(e, func(e *experiments.Experiment) bool {
				text, _ := across(e, seed)
				return text != ""
			})
			t.Fatalf("seed %d: %s\nshrunk:\n%v", seed, text, small)
		}
		crossed += n
	}
	if crossed == 0 {
		t.Error("no stream crossed a border between processes")
	}
}

// across describes how the oracle differs from a run that several processes share, and returns how many
// streams crossed borders.
func across(e *experiments.Experiment, seed uint64) (text string, crossed uint64) {
	want, err := experiments.RunOracle(e)
	if err != nil {
		return "", 0
	}
	d := rand.New(rand.NewPCG(seed, 0x6163726f7373))
	s := sharedRun{
		e: e, processes: 2 + d.IntN(3), workers: 1 + d.IntN(2), ahead: d.IntN(2) > 0, sync: fabric.SyncAll,
		options: timewarp.Options{Batch: 1 + d.IntN(40), Interval: 1 + d.IntN(40), Static: d.IntN(2) > 0},
	}
	s.blocks = s.processes
	if d.IntN(2) > 0 {
		s.sync = fabric.SyncNeighbours
	}
	if !s.ahead {
		s.blocks *= 1 + d.IntN(2)
	}
	spec, err := e.Spec()
	if err != nil || spec.Graph.Routers < s.processes {
		return "", 0
	}
	if _, informed := spec.Adaptive.(routing.Informed); informed && s.ahead {
		return "", 0 // NewPart refuses it
	}
	got, crossed, err := s.simulate()
	if err != nil {
		return err.Error(), 0
	}
	return experiments.Diff(e, want, got), crossed
}

// sharedRun is a run that processes share.
type sharedRun struct {
	e                          *experiments.Experiment
	processes, blocks, workers int
	ahead                      bool // processes are parts of a Time Warp run
	sync                       fabric.Sync
	options                    timewarp.Options
}

// process is what a process has of it.
type process struct {
	network *fabric.Network
	outcome *experiments.Outcome
	part    *fabric.Part
}

func (s *sharedRun) simulate() (*experiments.Outcome, uint64, error) {
	list, errs := make([]process, s.processes), make([]error, s.processes)
	groups := cluster.Local(s.processes)
	each := func(f func(p int, group cluster.Group) error) error {
		var all sync.WaitGroup
		for p, group := range groups {
			all.Go(func() {
				defer func() {
					if v := recover(); v != nil {
						panic(fmt.Sprintf("process %d: %v", p, v))
					}
				}()
				errs[p] = f(p, group)
			})
		}
		all.Wait()
		return errors.Join(errs...)
	}
	err := each(func(p int, group cluster.Group) (err error) {
		list[p], err = s.build(group)
		return err
	})
	for _, x := range list {
		if x.network != nil {
			defer x.network.Close()
		}
	}
	if err != nil {
		return nil, 0, err
	}
	if s.ahead {
		var parts []timewarp.Part
		for _, x := range list {
			parts = append(parts, x.part)
		}
		if _, err := timewarp.Run(parts, s.workers, new(atomic.Bool), s.options); err != nil {
			return nil, 0, describe(err)
		}
	} else if err := each(func(p int, _ cluster.Group) error {
		_, err := engine.Run(list[p].network.EngineBlocks(), s.workers, new(atomic.Bool), engine.Across(list[p].network.Joint()))
		return describe(err)
	}); err != nil {
		return nil, 0, err
	}
	if err := each(func(p int, _ cluster.Group) error { return list[p].end(s.e) }); err != nil {
		return nil, 0, err
	}
	return merged(list), list[0].network.Totals().Streams.Crossed, nil
}

// build makes the part of the run of one process.
func (s *sharedRun) build(group cluster.Group) (x process, err error) {
	spec, err := s.e.Spec()
	if err != nil {
		return x, err
	}
	if x.network, err = fabric.NewAcross(spec, s.blocks, group); err != nil {
		return x, err
	}
	x.network.ShortStreams()
	if !s.ahead {
		x.network.Sync(s.sync)
	} else if x.part, err = fabric.NewPart(x.network); err != nil {
		return x, err
	}
	x.outcome = experiments.NewOutcome(s.e)
	for _, b := range x.network.Blocks() {
		script := experiments.NewScript(s.e, b.Hosts(), x.outcome)
		b.SetEndpoint(script)
		script.Start(b)
	}
	return x, nil
}

// end completes the outcome of a process.
func (x *process) end(e *experiments.Experiment) error {
	x.network.EndObservation(fabric.Forever)
	x.outcome.Stuck = x.network.Deadlock() != nil
	if err := x.network.Verify(); err != nil {
		return err
	}
	x.network.ShareUse()
	spec, err := e.Spec()
	if err == nil {
		observe(x.network, spec, x.outcome)
	}
	return err
}

// merged returns the outcome of all processes: each knows of its own hosts.
func merged(list []process) *experiments.Outcome {
	o := list[0].outcome
	for _, x := range list[1:] {
		for i, f := range x.outcome.Fates {
			to := &o.Fates[i]
			to.Post, to.Fetched, to.Delivered = max(to.Post, f.Post), max(to.Fetched, f.Fetched), max(to.Delivered, f.Delivered)
		}
	}
	return o
}
