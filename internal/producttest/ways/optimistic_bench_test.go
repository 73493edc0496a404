package ways

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"fabricast"
	"fabricast/internal/cluster"
	"fabricast/internal/cluster/clustertest"
	"fabricast/internal/run"
)

// BenchmarkSlowLinks runs sparse programs in two processes between which everything takes 50 us
// longer, in the conservative and in the optimistic mode. It reports how often processes exchanged
// something: of the conservative mode, its windows, each with one exchange or two.
func BenchmarkSlowLinks(b *testing.B) {
	const delay = 50 * time.Microsecond
	for _, load := range []string{
		"{program: broadcast, size: 4KiB, iterations: 300}",
		"{program: alltoall, algorithm: pairwise, size: 64B, iterations: 5}",
		"{program: gather, size: 64B, iterations: 300}",
		"{program: halo2d, size: 64B, iterations: 200}",
	} {
		for _, mode := range []string{"conservative", "optimistic"} {
			text := fmt.Sprintf(
				"network: {topology: {kind: torus, dims: [8, 8]}}\nworkload: %s\nengine: {mode: %s}\n", load, mode,
			)
			b.Run(load+"/"+mode, func(b *testing.B) {
				for b.Loop() {
					slowly(b, text, delay)
				}
			})
		}
	}
}

// BenchmarkOneProcess runs an all-to-all in one process, in the conservative and in the optimistic mode,
// with one worker, which saves nothing, and with two. It reports the processor time.
func BenchmarkOneProcess(b *testing.B) {
	for _, workers := range []int{1, 2} {
		for _, mode := range []string{"conservative", "optimistic", "optimistic, kp: 4", "optimistic, kp: 16"} {
			text := fmt.Sprintf("network: {topology: {kind: torus, dims: [8, 8, 8]}}\n"+
				"workload: {program: alltoall, algorithm: bruck, size: 1KiB}\nengine: {mode: %s}\n", mode)
			b.Run(fmt.Sprintf("%d/%s", workers, mode), func(b *testing.B) {
				var cpu, saves float64
				for b.Loop() {
					e, err := fabricast.Parse("one.yaml", text)
					if err != nil {
						b.Fatal(err)
					}
					r, err := e.Run(context.Background(), fabricast.Workers(workers))
					if err != nil {
						b.Fatal(err)
					}
					if cpu += r.Host.User + r.Host.Sys; r.Optimistic != nil {
						saves += float64(r.Optimistic.Saves)
					}
				}
				b.ReportMetric(cpu/float64(b.N), "cpu-s/op")
				b.ReportMetric(saves/float64(b.N), "saves/op")
			})
		}
	}
}

// slowly runs an experiment in two processes with a delay between them.
func slowly(b *testing.B, text string, delay time.Duration) {
	var wg sync.WaitGroup
	for p, group := range cluster.Local(2) {
		wg.Go(func() {
			e, err := fabricast.Parse("slow.yaml", text)
			if err != nil {
				b.Error(err)
				return
			}
			r, err := e.Run(context.Background(), run.Across(clustertest.Slow(group, delay)), fabricast.Workers(1))
			switch {
			case err != nil:
				b.Error(err)
			case p > 0:
			case r.Optimistic != nil:
				b.ReportMetric(float64(r.Optimistic.Synchronizations), "exchanges")
				b.ReportMetric(r.Optimistic.Efficiency, "efficiency")
			default:
				b.ReportMetric(float64(r.Windows), "windows")
			}
		})
	}
	wg.Wait()
}
