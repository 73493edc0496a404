package run

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"fabricast/engine"
	"fabricast/experiment"
	"fabricast/internal/checkpoint"
	"fabricast/internal/config"
	"fabricast/internal/draws"
)

// resolved parses an experiment.
func resolved(t testing.TB, text string) *experiment.Resolved {
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

// stopping is a block that requests a last checkpoint in round at.
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

// advanceTo runs an experiment to the given round, from a checkpoint if there is one. It returns
// the next checkpoint, or the result if the run has ended.
func advanceTo(t *testing.T, text string, s settings, round uint64) (next string, r *Result) {
	t.Helper()
	next, r, err := advance(t, text, resolved(t, text), s, round)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return next, r
}

// advance is like advanceTo for a parsed experiment. It returns the error of a refused checkpoint.
func advance(
	t testing.TB, text string, e *experiment.Resolved, s settings, round uint64,
) (next string, r *Result, err error) {
	t.Helper()
	ctx := context.Background()
	folder, err := s.openRecord()
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Abort()
	s.folder = folder
	p, err := prepare(ctx, e, s)
	if err == nil {
		err = s.checkCheckpoints(p)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	list, err := newJobs(ctx, s, p, false)
	if err != nil {
		t.Fatal(err)
	}
	sim, err := assemble(ctx, s, p, list)
	if err != nil {
		t.Fatal(err)
	}
	defer sim.close()
	if sim.saver, err = newSaver(s, p); err == nil {
		err = sim.resume()
	}
	if err != nil {
		return "", nil, err
	}
	sim.blocks[0] = &stopping{sim.blocks[0], sim, round}
	if err := sim.advance(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if path := sim.saver.left(); path != "" {
		return path, nil, nil
	}
	if err := sim.outcome(ctx); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return "", sim.result(), nil
}

// TestResumedRuns stops built-in programs at random windows and resumes them with other numbers of
// workers. They must end with the result of an uninterrupted run.
func TestResumedRuns(t *testing.T) {
	seeds, stops := 0, 0
	for seed := range draws.Seeds(50, 1500) {
		seeds++
		d := rand.New(rand.NewPCG(seed, 23))
		text := drawProgram(d)
		s := settings{
			out: filepath.Join(t.TempDir(), "result"), workers: 1 + d.IntN(4), checkpoints: &Checkpoints{},
		}
		_, want := advanceTo(t, text, s, forever)
		got, stopped, _ := inStages(t, d, s, 14, func(s settings, round uint64) (string, *Result, error) {
			next, r := advanceTo(t, text, s, round)
			return next, r, nil
		})
		stops += stopped
		if same(got) != same(want) {
			t.Fatalf("resumed: %s\nat once: %s\n%s", same(got), same(want), text)
		}
	}
	if stops < seeds/4 && !testing.Short() {
		t.Errorf("%d stops in %d runs", stops, seeds)
	}
}

// inStages advances a run again and again, each time from its last checkpoint to a random round and
// on a random number of workers, until it ends. It returns the result, the number of stops, and the
// error with which the run ended. A stage after the first has less than 2 to the power of `most`
// rounds.
func inStages(
	t *testing.T, d *rand.Rand, s settings, most int,
	advance func(s settings, round uint64) (next string, r *Result, err error),
) (r *Result, stops int, err error) {
	t.Helper()
	next, r, err := advance(s, 1+d.Uint64N(1<<d.IntN(12)))
	for ; err == nil && r == nil; stops++ {
		from, openErr := checkpoint.Open(next)
		if openErr != nil {
			t.Fatal(openErr)
		}
		s.workers = 1 + d.IntN(4)
		Resume(from)(&s)
		next, r, err = advance(s, from.Rounds+1+d.Uint64N(1<<d.IntN(most)))
		from.Close()
	}
	return r, stops, err
}

const forever = 1 << 40

// same returns the part of a result that must not depend on interruptions.
func same(r *Result) string {
	c := *r
	c.Workers, c.Balance, c.Windows, c.Host = 0, 0, 0, Host{}
	c.Streams = nil
	text, _ := c.JSON()
	return string(text)
}
