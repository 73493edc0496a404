package ways

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fabricast"

	"pgregory.net/rapid"
)

// TestOptimisticIsRefused holds that what cannot be taken back is refused with the reason.
func TestOptimisticIsRefused(t *testing.T) {
	const network = "network: {topology: {kind: torus, dims: [4, 4]}}\n"
	for load, want := range map[string]string{
		"workload: {program: alltoall, size: 1KiB}\nnode: {work: {combine: 1GB/s}}": "coroutines",
	} {
		e, err := fabricast.Parse("x.yaml", network+load+"\nengine: {mode: optimistic}\n")
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Run(context.Background(), fabricast.Record(filepath.Join(t.TempDir(), "r")))
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "engine.mode: found optimistic, expected conservative") {
			t.Errorf("%s: %v, want %q", load, err, want)
		}
	}
}

// TestOptimisticInterrupted: runs in optimistic modes that are interrupted at any time, while they
// are set up or later, end with the error that says so in all processes, and leave the folder of
// what had been simulated or nothing.
func TestOptimisticInterrupted(t *testing.T) {
	loads := []string{
		"workload: {program: alltoall, size: 64KiB}\nranks: 64", "traffic: {pattern: uniform, load: 60%}\nseed: 3",
		"jobs: [{ranks: 32, workload: {program: alltoall, size: 64KiB}}, {ranks: 32, traffic: {load: 30%}}]",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf(
			"network: {topology: {kind: torus, dims: [8, 8]}}\n%s\nengine: {mode: optimistic, batch: %d, kp: %d}\n",
			rapid.SampledFrom(loads).Draw(t, "load"), rapid.IntRange(1, 40).Draw(t, "batch"),
			rapid.IntRange(1, 5).Draw(t, "parts"),
		)
		e, err := fabricast.Parse("x.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := os.MkdirTemp("", "interrupted")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		after := time.Duration(rapid.IntRange(0, 60_000).Draw(t, "us")) * time.Microsecond
		ctx, cancel := context.WithTimeout(context.Background(), after)
		defer cancel()
		n := rapid.IntRange(1, 3).Draw(t, "processes")
		_, errs := shareIn(func(int) context.Context { return ctx }, *e, n, func(int) []fabricast.Option {
			return []fabricast.Option{fabricast.Record(filepath.Join(folder, "out"))}
		})
		for p, err := range errs {
			var interrupted *fabricast.InterruptedError
			var elsewhere *fabricast.ProcessError
			if err != nil && !errors.As(err, &interrupted) && (n == 1 || !errors.As(err, &elsewhere)) {
				t.Errorf("process %d of %d after %v: %v", p, n, after, err)
			}
		}
		left, err := os.ReadDir(folder)
		if err != nil || len(left) > 1 || len(left) == 1 && left[0].Name() != "out" {
			t.Errorf("%d processes leave %v, %v", n, left, err)
		}
	})
}
