package ways

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cluster"
	"fabricast/internal/draws"
	"fabricast/internal/producttest"
	"fabricast/internal/run"
	"fabricast/mpi"
)

// tally counts what processes of a group do together.
type tally struct {
	least, late, exchanges, swaps atomic.Int64 // calls of all processes
	messages                      atomic.Int64 // that are sent
	bytes                         atomic.Int64
}

// tallied is a group whose operations are counted.
type tallied struct {
	cluster.Group
	*tally
}

func (t *tallied) Least(values []int64) {
	t.least.Add(1)
	t.Group.Least(values)
}

func (t *tallied) StartLeast(values []int64) {
	t.late.Add(1)
	t.Group.StartLeast(values)
}

func (t *tallied) Exchange(to [][]byte) [][]byte {
	t.exchanges.Add(1)
	for p, data := range to {
		if p != t.Rank() && len(data) > 0 {
			t.sent(data)
		}
	}
	return t.Group.Exchange(to)
}

func (t *tallied) Swap(to [][]byte) [][]byte {
	t.swaps.Add(1)
	for p, data := range to {
		if p != t.Rank() {
			t.sent(data)
		}
	}
	return t.Group.Swap(to)
}

func (t *tallied) Trade(with []int, to [][]byte) [][]byte {
	for _, p := range with {
		t.sent(to[p])
	}
	return t.Group.Trade(with, to)
}

func (t *tallied) sent(data []byte) {
	t.messages.Add(1)
	t.bytes.Add(int64(len(data)))
}

// talliedRun runs an experiment in n processes and counts what they do together.
func talliedRun(tb testing.TB, text string, n int) (*fabricast.Result, *tally) {
	tb.Helper()
	count := new(tally)
	var first *fabricast.Result
	var wg sync.WaitGroup
	for p, group := range cluster.Local(n) {
		wg.Go(func() {
			e, err := fabricast.Parse("tallied.yaml", text)
			if err == nil {
				var r *fabricast.Result
				if r, err = e.Run(context.Background(), run.Across(&tallied{group, count}), fabricast.Workers(1)); p == 0 {
					first = r
				}
			}
			if err != nil {
				tb.Errorf("process %d: %v", p, err)
			}
		})
	}
	wg.Wait()
	if tb.Failed() {
		tb.FailNow()
	}
	return first, count
}

// TestNeighboursSkipEmptyWindows: empty time costs no windows, and where there is work all along nobody
// waits for all.
func TestNeighboursSkipEmptyWindows(t *testing.T) {
	const n = 9
	windows := map[string]uint64{}
	for _, sync := range []string{"all", "neighbours"} {
		text := "network: {topology: {kind: torus, dims: [4, 4]}}\nengine: {sync: " + sync + "}\n" +
			"workload: {program: allreduce, size: 8B, iterations: 4}\nnode: {overhead: 50us}\n"
		r, _ := talliedRun(t, text, n)
		windows[sync] = r.Windows
	}
	if windows["neighbours"] > 2*windows["all"] {
		t.Errorf("%d windows, %d where all agree", windows["neighbours"], windows["all"])
	}
	r, count := talliedRun(t, "network: {topology: {kind: torus, dims: [6, 6]}}\n"+
		"workload: {program: alltoall, algorithm: bruck, size: 3KiB}\n", n)
	if awaited := count.least.Load() / n; uint64(awaited) > r.Windows/4 {
		t.Errorf("%d of %d windows wait for all processes", awaited, r.Windows)
	}
	if late := count.late.Load() / n; uint64(late) > r.Windows {
		t.Errorf("%d reductions in %d windows", late, r.Windows)
	}
}

// TestNeighboursAndSmallMessages: single small messages among large ones, which make windows shorter for
// moments, change nothing, wherever NICs are.
func TestNeighboursAndSmallMessages(t *testing.T) {
	for seed := range draws.Seeds(2, 40) {
		d := rand.New(rand.NewPCG(seed, 3))
		text := fmt.Sprintf(
			"network: {topology: {kind: torus, dims: [%s]}, router: {latency: %s, buffer: 16KiB}, "+
				"host_link: {latency: %s}, link: {latency: %s}, packet: {mtu: 4KiB}}\nworkload: {program: barrier}",
			producttest.One(d, "16", "4, 4", "4, 2, 2"), producttest.One(d, "100ns", "300ns"), producttest.One(d, "0ns", "10ns", "100ns"),
			producttest.One(d, "10ns", "50ns"),
		)
		e, err := fabricast.Parse("small.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		begin, shift := 30+d.IntN(30), 1+d.IntN(15)
		e.Workload, e.Ranks, e.Program = experiment.Workload{}, 16, func(r *mpi.Rank) {
			n, me := r.Size(), r.Rank()
			var all []mpi.Request
			for i := range 4 {
				to := 1 + (shift+4*i)%(n-1)
				all = append(all, r.Irecv(mpi.Size(256<<10), (me+n-to)%n, i))
				all = append(all, r.Isend(mpi.Size(256<<10), (me+to)%n, i))
			}
			switch me {
			case 3:
				for i := range 3 {
					r.Compute(mpi.Duration(begin) * mpi.Microsecond)
					r.Send(mpi.Size(8), 9, 100+i)
				}
			case 9:
				for i := range 3 {
					r.Recv(mpi.Size(8), 3, 100+i)
				}
			}
			r.WaitAll(all)
		}
		want, err := e.Run(context.Background(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 5 + 11*int(seed%2)} {
			e.Engine.Sync = experiment.SyncNeighbours
			results, errs := share(*e, n, nil)
			if errs[0] != nil || results[0].Hash != want.Hash || results[0].Messages != want.Messages {
				t.Errorf("%d processes: %v, %+v, alone %+v\n%s", n, errs[0], results[0], want, text)
			}
		}
	}
}

// BenchmarkWindows reports what processes send and reduce in a window, by each way to agree on it.
//
//	go test -run '^$' -bench Windows -benchtime 1x .
func BenchmarkWindows(b *testing.B) {
	for name, load := range map[string]string{
		"traffic": "traffic: {load: 20%, size: 2KiB, measure: {longest: 20us, bin: 1us}}",
		"dense":   "workload: {program: alltoall, algorithm: bruck, size: 64B}",
		"sparse":  "workload: {program: allreduce, size: 8B, iterations: 9}\nnode: {overhead: 5us}",
	} {
		for _, n := range []int{9, 12, 16} {
			for _, sync := range []string{"all", "neighbours"} {
				b.Run(fmt.Sprintf("%s/%d/%s", name, n, sync), func(b *testing.B) {
					text := "network: {topology: {kind: torus, dims: [16, 8, 4]}}\npartition: topology\n" +
						"engine: {sync: " + sync + "}\n" + load + "\n"
					for range b.N {
						begin := time.Now()
						r, count := talliedRun(b, text, n)
						windows := float64(r.Windows)
						b.ReportMetric(windows, "windows")
						b.ReportMetric(float64(count.messages.Load())/windows/float64(n), "messages/window")
						b.ReportMetric(float64(count.bytes.Load())/windows/float64(n), "bytes/window")
						b.ReportMetric(float64(count.least.Load())/windows/float64(n), "awaited/window")
						b.ReportMetric(float64(count.late.Load())/windows/float64(n), "late/window")
						b.ReportMetric(float64(count.exchanges.Load())/windows/float64(n), "exchanges/window")
						b.ReportMetric(float64(time.Since(begin).Microseconds())/windows, "us/window")
					}
				})
			}
		}
	}
}
