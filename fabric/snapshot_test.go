package fabric_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/oracle/experiments"
)

// TestSnapshots stops random experiments at random windows, saves all blocks, goes on for some
// windows, restores the blocks, and runs to the end. The outcome must be that of the oracle. So must
// be that of another network that is made what the first one was.
func TestSnapshots(t *testing.T) {
	eachDraw(t, func(t *testing.T, d draw, path newNetwork, few uint64) {
		for seed := range draws.Seeds(few, 40*few) {
			resumes(t, 40_000_000+seed, d, path)
		}
	})
}

// eachDraw runs a test with each kind of random experiment, on the path that simulates it. few is
// how many are drawn for each commit.
func eachDraw(t *testing.T, test func(t *testing.T, d draw, path newNetwork, few uint64)) {
	for name, d := range map[string]struct {
		draw draw
		path newNetwork
		few  uint64
	}{
		"plain":                    {experiments.Draw, fabric.New, 15},
		"shaped":                   {experiments.DrawShaped, fabric.New, 20},
		"general":                  {experiments.DrawGeneral, fabric.New, 25},
		"both":                     {experiments.Draw, fabric.NewGeneral, 10},
		"classes":                  {experiments.DrawClassed, fabric.New, 15},
		"ahead":                    {draw(experiments.Draw).from(5_000_000), newAhead, 10},
		"bus":                      {shared(draw(experiments.Draw).from(7_000_000)), fabric.New, 10},
		"turns":                    {shared(draw(experiments.DrawGeneral).from(8_000_000)), fabric.New, 10},
		"heavy":                    {experiments.DrawHeavy, fabric.New, 1},
		"streams":                  {experiments.DrawStreams, withShortStreams, 20},
		"streams of several rates": {experiments.DrawRates, withShortStreams, 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, d.draw, d.path, d.few)
		})
	}
}

// newAhead is fabric.New with NICs that inject before it is time.
func newAhead(spec fabric.Spec, blocks int) (*fabric.Network, error) {
	n, err := fabric.New(spec, blocks)
	if err == nil {
		n.InjectAhead()
	}
	return n, err
}

// paused is a block that stops the engine in a round.
type paused struct {
	engine.Block
	at   uint64
	stop *atomic.Bool
}

func (p *paused) Run(window int64, round uint64) {
	p.Block.Run(window, round)
	if round == p.at {
		p.stop.Store(true)
	}
}

// scripted is a network with its scripts.
type scripted struct {
	network *fabric.Network
	outcome *experiments.Outcome
	parts   []engine.Block
	done    uint64 // rounds
	stop    atomic.Bool
}

func newScripted(t *testing.T, e *experiments.Experiment, blocks int, path newNetwork) *scripted {
	t.Helper()
	spec, err := e.Spec()
	if err != nil {
		t.Fatal(err)
	}
	if spec.Seed%2 == 1 {
		spec.Cut = scatter(spec.Graph.Routers)
	}
	s := &scripted{outcome: experiments.NewOutcome(e)}
	if blocks > 2 { // of any routers
		spec.Cut = scatter(spec.Graph.Routers)
	}
	if s.network, err = path(spec, blocks); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.network.Cells().List() {
		script := experiments.NewScript(e, c.Hosts(), s.outcome)
		c.SetEndpoint(script)
		script.Start(c.Block)
	}
	for _, b := range s.network.Blocks() {
		s.parts = append(s.parts, b)
	}
	return s
}

// run simulates so many rounds.
func (s *scripted) run(t *testing.T, workers int, rounds uint64) {
	t.Helper()
	s.stop.Store(false)
	parts := append([]engine.Block{}, s.parts...)
	parts[0] = &paused{parts[0], s.done + rounds, &s.stop}
	n, err := engine.Run(parts, workers, &s.stop, engine.After(s.done))
	if err != nil {
		t.Fatal(describe(err))
	}
	s.done += n
}

func (s *scripted) save(to []engine.Snapshot) uint64 {
	for i, b := range s.network.Blocks() {
		to[i].Save(b.State)
	}
	return s.done
}

func (s *scripted) restore(from []engine.Snapshot, done uint64) {
	for i, b := range s.network.Blocks() {
		from[i].Restore(b.State)
	}
	s.done = done
}

const forever = 1 << 40

// end runs to the end and compares the outcome with another one.
func (s *scripted) end(
	t *testing.T,
	e *experiments.Experiment,
	workers int,
	want *experiments.Outcome,
) string {
	t.Helper()
	s.run(t, workers, forever)
	got := *s.outcome
	got.Stuck = s.network.Deadlock() != nil
	if err := s.network.Verify(); err != nil {
		t.Fatal(err)
	}
	spec, _ := e.Spec()
	observe(s.network, spec, &got)
	return experiments.Diff(e, want, &got)
}

// resumes checks that an experiment goes on from a snapshot as if nothing had happened.
func resumes(t *testing.T, seed uint64, d draw, path newNetwork) {
	t.Helper()
	e := d(seed)
	want, err := experiments.RunOracle(e)
	if err != nil {
		return
	}
	r := rand.New(rand.NewPCG(seed, 1))
	blocks, workers := 1+r.IntN(4), 1+r.IntN(3)
	s := newScripted(t, e, blocks, path)
	defer s.network.Close()
	saved := make([]engine.Snapshot, len(s.parts))
	for range 1 + r.IntN(3) {
		s.run(t, workers, 1+r.Uint64N(1<<r.IntN(8)))
		done := s.save(saved)
		s.run(t, workers, 1+r.Uint64N(1<<r.IntN(8)))
		if r.IntN(2) == 0 {
			s.run(t, workers, forever)
		}
		s.restore(saved, done)
	}
	other := newScripted(t, e, blocks, path)
	defer other.network.Close()
	other.restore(saved, s.done)
	if text := s.end(t, e, workers, want); text != "" {
		t.Fatalf("seed %d, %d blocks, %d workers, restored: %s\n%v", seed, blocks, workers, text, e)
	}
	if text := other.end(t, e, 1+r.IntN(3), want); text != "" {
		t.Fatalf("seed %d, %d blocks, in another network: %s\n%v", seed, blocks, text, e)
	}
}

// A snapshot uses its memory again.
func TestSnapshotsAllocateNothing(t *testing.T) {
	s := newScripted(t, experiments.DrawHeavy(3), 2, fabric.New)
	defer s.network.Close()
	saved := make([]engine.Snapshot, len(s.parts))
	s.run(t, 1, 50)
	b := s.network.Blocks()[0]
	b.SetEndpoint(nil) // the test's own endpoint allocates
	walk := b.State
	saved[0].Save(walk)
	if n := testing.AllocsPerRun(10, func() { saved[0].Save(walk); saved[0].Restore(walk) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
