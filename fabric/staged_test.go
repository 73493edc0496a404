package fabric_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/internal/cluster"
	"fabricast/internal/draws"
	"fabricast/internal/oracle/experiments"
	"fabricast/internal/snapshot"
)

// TestStages runs random experiments in stages. At the end of each, the state of the network is saved, and
// another number of processes goes on from it. The outcome must be that of the oracle, with the parts of
// every message's latency. A third of the runs are observed in the last stage only, otherwise.
func TestStages(t *testing.T) {
	for name, d := range map[string]struct {
		draw draw
		few  uint64
	}{
		"plain":                    {draw(experiments.Draw).from(80_000_000), 12},
		"streams":                  {draw(experiments.DrawStreams).from(81_000_000), 20},
		"streams of several rates": {draw(experiments.DrawRates).from(81_000_000), 5},
		"shaped":                   {draw(experiments.DrawShaped).from(82_000_000), 12},
		"general":                  {draw(experiments.DrawGeneral).from(83_000_000), 12},
		"classes":                  {draw(experiments.DrawClassed).from(85_000_000), 8},
		"heavy":                    {draw(experiments.DrawHeavy).from(84_000_000), 2}, // with numbers of messages used again
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range draws.Seeds(d.few, 300*d.few) {
				e := d.draw(seed)
				if text := inStages(e, seed); text != "" {
					small := experiments.Shrink(e, func(e *experiments.Experiment) bool { return inStages(e, seed) != "" })
					t.Fatalf("seed %d: %s\nshrunk:\n%v", seed, text, small)
				}
			}
		})
	}
}

// inStages describes how the outcome of a run in stages differs from that of the oracle.
func inStages(e *experiments.Experiment, seed uint64) string {
	want, err := experiments.RunOracle(e)
	if err != nil {
		return ""
	}
	spec, err := e.Spec()
	if err != nil {
		return ""
	}
	r := rand.New(rand.NewPCG(seed, 0x737461676573))
	s := stagedRun{e: e, blocks: min(1+r.IntN(8), spec.Graph.Routers), look: r.IntN(3) == 0}
	for stages := 1 + r.IntN(12); ; stages-- {
		s.sync, s.workers = fabric.SyncAll, 1+r.IntN(2)
		if r.IntN(2) > 0 {
			s.sync = fabric.SyncNeighbours
		}
		s.rounds = 1 + r.Uint64N(1<<r.IntN(8))
		if stages == 1 {
			s.rounds = forever
		}
		got, err := s.stage(1 + r.IntN(s.blocks))
		if err != nil {
			return err.Error()
		}
		if got != nil {
			return experiments.Diff(e, want, got)
		}
	}
}

// stagedRun is a run that goes on in other processes again and again.
type stagedRun struct {
	e               *experiments.Experiment
	blocks, workers int
	look            bool // it is observed in the last stage only
	sync            fabric.Sync
	rounds          uint64 // of the next stage
	done            uint64 // rounds so far
	processes       int    // of the last stage
	saved           []chunk
}

// chunk is a piece of a saved state. last says that a section ends with it.
type chunk struct {
	data []byte
	last bool
}

// stage runs the next stage in so many processes. It returns the outcome if that is the last one.
func (s *stagedRun) stage(processes int) (*experiments.Outcome, error) {
	list := make([]stagedProcess, processes)
	groups, errs := cluster.Local(processes), make([]error, processes)
	each := func(f func(x *stagedProcess, group cluster.Group) error) error {
		var all sync.WaitGroup
		for p, group := range groups {
			all.Go(func() { errs[p] = f(&list[p], group) })
		}
		all.Wait()
		return errors.Join(errs...)
	}
	defer func() {
		for _, x := range list {
			if x.network != nil {
				x.network.Close()
			}
		}
	}()
	if err := each(func(x *stagedProcess, group cluster.Group) error { return x.begin(s, group) }); err != nil {
		return nil, err
	}
	done := s.done
	if err := each(func(x *stagedProcess, _ cluster.Group) error { return x.run(s, done) }); err != nil {
		return nil, err
	}
	if s.rounds == forever {
		if err := each(func(x *stagedProcess, _ cluster.Group) error { return x.end(s.e) }); err != nil {
			return nil, err
		}
		return outcomeOf(list), nil
	}
	s.done, s.processes, s.saved = list[0].done, processes, nil
	for _, x := range list {
		s.saved = append(s.saved, x.saved...)
	}
	return nil, nil
}

// stagedProcess is a process of a stage. Each block has an outcome of its own, since it may go on in
// another process.
type stagedProcess struct {
	network  *fabric.Network
	outcomes []*experiments.Outcome
	done     uint64
	saved    []chunk
}

// begin builds what the process has of the network, and restores its state.
func (x *stagedProcess) begin(s *stagedRun, group cluster.Group) error {
	spec, err := s.e.Spec()
	if err != nil {
		return err
	}
	if x.network, err = fabric.NewAcross(spec, s.blocks, group); err != nil {
		return err
	}
	x.network.ShortStreams()
	x.network.Sync(s.sync)
	if !s.look {
		x.network.Observe(fabric.Observation{Causes: true, Sink: &notes{}})
	}
	for _, b := range x.network.Blocks() {
		o := experiments.NewOutcome(s.e)
		switch parts := make([]causes.Parts, len(s.e.Messages)); {
		case s.look:
		case x.network.General():
			o.AtStarts = parts
		default:
			o.Parts = parts
		}
		script := experiments.NewScript(s.e, b.Hosts(), o)
		b.SetEndpoint(script)
		script.Start(b)
		x.outcomes = append(x.outcomes, o)
	}
	if err := x.restore(s); err != nil || !s.look || s.rounds != forever {
		return err
	}
	x.network.Observe(fabric.Observation{Causes: true, Sink: &notes{}})
	return nil
}

// restore restores the state in which the last stage has ended.
func (x *stagedProcess) restore(s *stagedRun) error {
	if s.saved == nil {
		return nil
	}
	rest := s.saved
	return snapshot.Read(func() ([]byte, bool, error) {
		if len(rest) == 0 {
			return nil, false, nil
		}
		c := rest[0]
		rest = rest[1:]
		return c.data, c.last, nil
	}, func(v *snapshot.Visitor) {
		fabric.SectionsOf(x.network).Restore(v, s.processes, !s.look, func(*snapshot.Visitor) {})
	})
}

// run simulates the rounds of the stage, and saves the state.
func (x *stagedProcess) run(s *stagedRun, done uint64) error {
	var stop atomic.Bool
	blocks := slices.Clone(x.network.EngineBlocks())
	options := []engine.Option{engine.After(done)}
	if first, all := x.network.Numbers(); first == 0 {
		blocks[0] = &paused{blocks[0], done + s.rounds, &stop}
		if len(blocks) < all {
			options = append(options, engine.Across(x.network.Joint()))
		}
	} else {
		options = append(options, engine.Across(x.network.Joint()))
	}
	n, err := engine.Run(blocks, s.workers, &stop, options...)
	if err != nil {
		return describe(err)
	}
	x.done = done + n
	return snapshot.Write(func(data []byte, last bool) error {
		x.saved = append(x.saved, chunk{slices.Clone(data), last})
		return nil
	}, func(v *snapshot.Visitor) { fabric.SectionsOf(x.network).Save(v, func(*snapshot.Visitor) {}) })
}

// end completes the outcomes of a process.
func (x *stagedProcess) end(e *experiments.Experiment) error {
	x.network.EndObservation(fabric.Forever)
	o := x.outcomes[0]
	o.Stuck = x.network.Deadlock() != nil
	if err := x.network.Verify(); err != nil {
		return fmt.Errorf("at the end: %w", err)
	}
	x.network.ShareUse()
	spec, err := e.Spec()
	if err == nil {
		observe(x.network, spec, o)
	}
	return err
}

// outcomeOf returns the outcome of all blocks of all processes: each knows of its own hosts.
func outcomeOf(list []stagedProcess) *experiments.Outcome {
	o := list[0].outcomes[0]
	for _, x := range list {
		for _, of := range x.outcomes {
			for i, f := range of.Fates {
				to := &o.Fates[i]
				to.Post, to.Fetched = max(to.Post, f.Post), max(to.Fetched, f.Fetched)
				if f.Delivered == experiments.Unknown {
					continue
				}
				to.Delivered = f.Delivered
				if o.Parts != nil {
					o.Parts[i] = of.Parts[i]
				}
				if o.AtStarts != nil {
					o.AtStarts[i] = of.AtStarts[i]
				}
			}
		}
	}
	return o
}
