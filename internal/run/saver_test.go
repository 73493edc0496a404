package run

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"fabricast/engine"
	"fabricast/internal/checkpoint"
	"fabricast/internal/config"
	"fabricast/internal/experiment"
	"fabricast/node"
)

// resolved makes an experiment of a text.
func resolved(t *testing.T, text string) *experiment.Resolved {
	t.Helper()
	root, err := config.Parse(&config.Source{Name: "drawn.yaml", Text: text})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	decoded, err := experiment.Decode(root, "../..", nil, experiment.WholeFile, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	e, err := experiment.Resolve(*decoded)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return e
}

// stopping is a block that ends the run with a checkpoint in a round.
type stopping struct {
	engine.Block
	sim *simulation
	at  uint64
}

func (b *stopping) Run(window int64, round uint64) {
	b.Block.Run(window, round)
	if round >= b.at {
		b.sim.interrupt()
	}
}

// advanceTo runs an experiment to a round, from a checkpoint if there is one. It returns the next
// checkpoint, or the result if the run has ended; neither if its program cannot be saved.
func advanceTo(t *testing.T, text string, s settings, round uint64) (next string, r *Result) {
	t.Helper()
	ctx := context.Background()
	folder, err := s.openRecord()
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Abort()
	s.folder = folder
	p, err := prepare(ctx, resolved(t, text), s)
	if err == nil {
		err = s.checkCheckpoints(p)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	gaps, err := p.Pace()
	if err != nil {
		t.Fatal(err)
	}
	program, err := p.Program(gaps)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := assemble(ctx, p, program, nil, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	defer sim.close()
	if sim.saver, err = newSaver(s, p); err == nil {
		err = sim.resume(s)
	}
	if errors.Is(err, node.ErrStacks) {
		return "", nil
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	sim.blocks[0] = &stopping{sim.blocks[0], sim, round}
	if sim.windows, err = sim.advance(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if path := sim.saver.left(); path != "" {
		return path, nil
	}
	if err := sim.outcome(ctx); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return "", sim.result()
}

// A run of any program by name that is stopped at random windows goes on from its checkpoints to the
// result of a run that nothing stops, on other numbers of workers.
func TestResumedRuns(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 60
	}
	stops, stacks := 0, 0
	for seed := range uint64(seeds) {
		d := rand.New(rand.NewPCG(seed, 23))
		text := drawProgram(d)
		s := settings{
			out: filepath.Join(t.TempDir(), "result"), workers: 1 + d.IntN(4), checkpoints: &Checkpoints{},
		}
		_, want := advanceTo(t, text, s, forever)
		if want == nil {
			stacks++
			continue
		}
		round := 1 + d.Uint64N(1<<d.IntN(12))
		next, got := advanceTo(t, text, s, round)
		for got == nil {
			stops++
			from, err := checkpoint.Open(next)
			if err != nil {
				t.Fatal(err)
			}
			s.workers = 1 + d.IntN(4)
			Resume(from)(&s)
			round = from.Rounds + 1 + d.Uint64N(1<<d.IntN(14))
			next, got = advanceTo(t, text, s, round)
			from.Close()
		}
		if same(got) != same(want) {
			t.Fatalf("resumed: %s\nat once: %s\n%s", same(got), same(want), text)
		}
	}
	if stops < seeds/4 || stacks > seeds/4 {
		t.Errorf("%d stops in %d runs, %d of programs that cannot be saved", stops, seeds, stacks)
	}
}

const forever = 1 << 40

// same is the part of a result that no interruption may change.
func same(r *Result) string {
	c := *r
	c.Workers, c.Balance, c.Windows, c.Host = 0, 0, 0, Host{}
	text, _ := c.JSON()
	return string(text)
}
