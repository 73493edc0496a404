package ways

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cluster"
	"fabricast/internal/producttest"
	"fabricast/internal/run"
	"fabricast/mpi"
)

// TestProcessesGivenOther: processes of which one was given another experiment, another file, or an
// option by which it would do something else, all end with an error that names it and what differs.
func TestProcessesGivenOther(t *testing.T) {
	const text = "network: {topology: {dims: [4, 4]}}\nworkload: {program: alltoall, size: 8B}\n"
	order := func(dir, ranks string) string {
		path := filepath.Join(dir, "order.txt")
		if err := os.WriteFile(path, []byte(ranks), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ascending := order(t.TempDir(), strings.Repeat("1us\n2us\n", 8))
	record := func(dir string) []fabricast.Option {
		return []fabricast.Option{fabricast.Record(filepath.Join(dir, "out"))}
	}
	for _, x := range []struct {
		name    string
		change  func(*fabricast.Experiment)
		options func(dir string) []fabricast.Option
		want    string
	}{
		{"latency", func(e *fabricast.Experiment) { e.Network.Link.Latency = 50 * fabricast.Nanosecond }, nil, "network.link.latency: found 50ns"},
		{"size", func(e *fabricast.Experiment) { e.Workload.Size = 9 }, nil, "workload.size: found 9B, expected 8B"},
		{"seed", func(e *fabricast.Experiment) { e.Seed = 7 }, nil, "seed: found 7"},
		{"mode", func(e *fabricast.Experiment) { e.Engine.Mode = experiment.EngineOptimistic }, nil, "engine.mode: found optimistic"},
		{"recording", func(e *fabricast.Experiment) { e.Record.Messages = true }, nil, "record.messages: found true"},
		{"imbalance", func(e *fabricast.Experiment) { e.Imbalance.Width.Share = fabricast.Percent }, nil, "imbalance."},
		{"file", func(e *fabricast.Experiment) { e.Imbalance.File = ascending }, nil, "imbalance."},
		{"program", func(e *fabricast.Experiment) { e.Program = func(*mpi.Rank) {}; e.Workload = experiment.Workload{} }, nil, "found"},
		{"folder", nil, record, "result folder: found one, expected none"},
		{"checkpoints", nil, func(dir string) []fabricast.Option {
			return append(record(dir), fabricast.Checkpoint(fabricast.Checkpoints{Blocks: 4}))
		}, "found"},
		{"interference", nil, func(string) []fabricast.Option { return []fabricast.Option{fabricast.Interference()} }, "runs of jobs alone"},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := producttest.SameDraws(t)
			n := 2 + d.IntN(3)
			givenOther(t, text, n, 1+d.IntN(n-1), t.TempDir(), x.change, x.options, x.want)
		})
	}
}

func givenOther(
	t *testing.T, text string, n, odd int, dir string, change func(*fabricast.Experiment), options func(string) []fabricast.Option, want string,
) {
	t.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for p, group := range cluster.Local(n) {
		wg.Go(func() {
			e, err := fabricast.Parse("given.yaml", text)
			if err != nil {
				errs[p] = err
				return
			}
			all := []fabricast.Option{run.Across(group), fabricast.Workers(1 + p%2)}
			if p == odd && change != nil {
				change(e)
			}
			if p == odd && options != nil {
				all = append(all, options(dir)...)
			}
			_, errs[p] = e.Run(context.Background(), all...)
		})
	}
	wg.Wait()
	for p, err := range errs {
		var found *cluster.DifferentError
		var wrong *fabricast.ConfigError
		if !errors.As(err, &found) || !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) ||
			len(found.List) != 1 || found.List[0].Process != odd {
			t.Errorf("process %d of %d, of which %d is another: %v, want %q", p, n, odd, err, want)
		}
	}
}
