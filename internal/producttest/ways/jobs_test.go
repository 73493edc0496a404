package ways

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/draws"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/record"
	"fabricast/topology"
)

// TestWorkersChangeNoJobs runs random jobs, with background traffic and placements of all kinds, on
// every network that can be named, with one worker and several: the result, the tables, and what each
// job suffers are the same.
func TestWorkersChangeNoJobs(t *testing.T) {
	producttest.EachNetwork(t, func(t *testing.T, network string) {
		if !producttest.Turn(t, 0, oneOf(8)) {
			return
		}
		t.Parallel()
		d := producttest.Draws(t)
		text := "network: {topology: " + network + "}\n" + producttest.Jobs(d, producttest.Hosts(t, network), true)
		if d.IntN(2) == 0 {
			text += "record: {bins: {interval: 500ns}, messages: true, timeline: true, causes: path}\n"
		}
		var first producttest.Outcome
		for _, workers := range []int{1, 2 + d.IntN(3)} {
			got, err := withInterference(t, text, workers)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if first == nil {
				first = got
			}
			if different := first.Difference(got, ""); different != "" {
				t.Fatalf("with %d workers %s\n%s", workers, different, text)
			}
		}
	})
}

// withInterference runs jobs together and alone.
func withInterference(t *testing.T, text string, workers int) (producttest.Outcome, error) {
	e, err := fabricast.Parse("jobs.yaml", text)
	if err != nil {
		return nil, err
	}
	options := []fabricast.Option{fabricast.Workers(workers), fabricast.Interference()}
	folder := ""
	if e.Record.Given() {
		folder = filepath.Join(t.TempDir(), "result")
		options = append(options, fabricast.Record(folder))
	}
	r, err := e.Run(context.Background(), options...)
	if err != nil {
		return nil, err
	}
	return producttest.OutcomeOf(r, folder)
}

// TestJobAlone: a program predicts the same in a list of jobs as without one, to the last message.
func TestJobAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 1))
		per := 1 + d.IntN(3)
		ranks := 2 + d.IntN(12*per-1)
		program := producttest.One(
			d,
			"{program: alltoall, size: 1KiB}",
			"{program: halo2d, size: 3KiB, iterations: 2}",
			"{program: uniform, size: 200B, messages: 5}",
			"{program: allreduce, size: 9KiB, algorithm: ring}",
		)
		network := fmt.Sprintf(
			"network: {topology: {kind: torus, dims: [4, 3]}}\nseed: %d\n",
			1+d.IntN(1000),
		) +
			producttest.One(
				d,
				"",
				"node: {nics: 2, copies: one}\n",
				"node: {protocol: {eager: 256B, rendezvous: read}}\n",
			)
		disturbed := producttest.One(d, "", "imbalance: {width: 2us}", "collectives: {allreduce: ring}")
		with := func(text string) *fabricast.Result {
			e, err := fabricast.Parse("alone.yaml", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			r, err := e.Run(context.Background(), fabricast.Workers(1+d.IntN(3)))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			return r
		}
		network = strings.ReplaceAll(network, "node: {", fmt.Sprintf("node: {ranks: %d, ", per))
		if !strings.Contains(network, "node:") {
			network += fmt.Sprintf("node: {ranks: %d}\n", per)
		}
		plain := with(network + "workload: " + program + fmt.Sprintf("\nranks: %d\n", ranks) + disturbed)
		extra := ""
		if disturbed != "" {
			extra = ", " + disturbed
		}
		job := with(
			network + "jobs: [{workload: " + program + fmt.Sprintf(", ranks: %d", ranks) + extra + "}]\n",
		)
		if plain.Hash != job.Hash || plain.SimulatedTime != job.SimulatedTime || plain.Messages != job.Messages ||
			plain.Latency != job.Latency || plain.PacketHops != job.PacketHops ||
			plain.Events != job.Events {
			t.Fatalf("%+v\nwithout jobs\n%+v\nas a job", plain, job)
		}
		if j := job.Jobs[0]; j.Hash != plain.Hash || j.Time != plain.SimulatedTime || j.Ranks != ranks {
			t.Fatalf("the job %+v of %+v", j, plain)
		}
	})
}

// TestJobsApart: jobs whose messages share nothing do not disturb one another. A switch that joins
// all hosts has links of their own for them.
func TestJobsApart(t *testing.T) {
	for i := range draws.Seeds(8, 200) {
		d := rand.New(rand.NewPCG(i, 0x6a6f62))
		const hosts = 16
		text := fmt.Sprintf("network: {topology: {kind: fully-connected, routers: 1, hosts: %d}}\n", hosts) +
			producttest.Jobs(d, hosts, true)
		e, err := fabricast.Parse("apart.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r, err := e.Run(context.Background(), fabricast.Workers(1+int(i%3)), fabricast.Interference())
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(r.SharedLinks) > 0 {
			t.Errorf("%v are shared\n%s", r.SharedLinks, text)
		}
		for _, j := range r.Jobs {
			if j.Alone.Slowdown != 1 || j.Alone.Time != j.Time || j.Alone.MeanLatency != j.Latency.Mean {
				t.Errorf("%s suffers: %+v\n%s", j.Name, *j.Alone, text)
			}
		}
	}
}

// TestJobsAddUp: where routes do not depend on load, a link carries together what the jobs send
// over it alone, and the figures of all are the sums of those of the jobs.
func TestJobsAddUp(t *testing.T) {
	for i := range draws.Seeds(5, 100) {
		d := rand.New(rand.NewPCG(i, 0x73756d))
		folder := filepath.Join(t.TempDir(), "result")
		text := "network: {topology: {kind: torus, dims: [4, 4]}}\n" + producttest.Jobs(d, 16, false)
		e, err := fabricast.Parse("sums.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r, err := e.Run(context.Background(), fabricast.Record(folder), fabricast.Interference())
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var ranks int
		var messages, bytes int64
		for _, j := range r.Jobs {
			if j.FirstRank != ranks {
				t.Errorf("the ranks of %s begin with %d, want %d", j.Name, j.FirstRank, ranks)
			}
			ranks += j.Ranks
			messages += j.Messages
			bytes += j.PayloadBytes
		}
		if r.Ranks != ranks || r.Messages != messages || r.PayloadBytes != bytes {
			t.Errorf("%d ranks, %d messages, %d bytes of jobs: %+v", ranks, messages, bytes, r)
		}
		for _, l := range r.SharedLinks {
			alone := int64(0)
			for _, j := range l.Jobs {
				alone += j.Bytes
			}
			if alone != l.Bytes {
				t.Errorf("%s carries %d B, the jobs alone %d B\n%s", l.Link, l.Bytes, alone, text)
			}
		}
		checkJobTables(t, folder, r)
	}
}

// checkJobTables compares the tables of jobs with the result.
func checkJobTables(t *testing.T, folder string, r *fabricast.Result) {
	t.Helper()
	opened, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range opened.Problems() {
		t.Error(p)
	}
	for name, want := range map[string]int64{record.JobsTable: int64(len(r.Jobs)), record.RanksTable: int64(r.Ranks)} {
		if n, err := opened.Count(name); err != nil || n != want {
			t.Errorf("%s has %d rows, %v, want %d", name, n, err, want)
		}
	}
	rows, err := opened.Count(record.JobLinksTable)
	shared := int64(0)
	for _, j := range r.Jobs {
		shared += int64(j.Alone.SharedLinks)
	}
	if err != nil || rows < shared {
		t.Errorf("%s has %d rows, %v, want at least %d", record.JobLinksTable, rows, err, shared)
	}
}

// TestJobsHaveTheirOwnRanks: programs in Go see the ranks of their job, and no message of another,
// although all use the same ranks, tags and communicators.
func TestJobsHaveTheirOwnRanks(t *testing.T) {
	const jobs, ranks = 3, 5
	var seen [jobs][ranks]int
	e := fabricast.Experiment{Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4}}}}
	for i := range jobs {
		e.Jobs = append(e.Jobs, experiment.Job{
			Name: fmt.Sprint("n", i), Ranks: ranks, Placement: experiment.Placement{Order: "random-nodes"},
			Program: func(rank *mpi.Rank) {
				half := rank.Split(rank.Rank()%2, 0)
				half.Barrier("")
				if rank.Rank() > 0 {
					rank.Send(mpi.Data([]byte{byte(i)}), 0, 7)
					return
				}
				for range rank.Size() - 1 {
					buf := make([]byte, 1)
					s := rank.Recv(mpi.Data(buf), mpi.AnySource, mpi.AnyTag)
					seen[i][s.Source] += int(buf[0]) - i + 1
				}
			},
		})
	}
	r, err := e.Run(context.Background(), fabricast.Workers(2))
	if err != nil {
		t.Fatal(err)
	}
	if r.Ranks != jobs*ranks {
		t.Errorf("%d ranks, want %d", r.Ranks, jobs*ranks)
	}
	for i := range seen {
		if seen[i] != [ranks]int{0, 1, 1, 1, 1} {
			t.Errorf("job %d got %v", i, seen[i])
		}
	}
}

// TestStuckJobs: a deadlock or a failure names job and rank, also beside traffic that never ends,
// for any number of workers.
func TestStuckJobs(t *testing.T) {
	for _, background := range []bool{false, true} {
		for workers := 1; workers <= 3; workers++ {
			e := fabricast.Experiment{Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 3}}}}
			e.Jobs = []experiment.Job{
				{Name: "well", Ranks: 4, Workload: experiment.Workload{Program: "alltoall", Size: 4096}},
				{Name: "stuck", Ranks: 2, Program: func(rank *mpi.Rank) {
					rank.Compute(3 * mpi.Microsecond)
					rank.Recv(mpi.Size(8), 1-rank.Rank(), 3)
				}},
			}
			if background {
				e.Jobs = append(e.Jobs, experiment.Job{
					Name: "noise", Ranks: 4, Traffic: experiment.Traffic{Pattern: experiment.Pattern{Name: "uniform"}, Load: 300_000_000},
				})
			}
			_, err := e.Run(context.Background(), fabricast.Workers(workers))
			var dead *fabricast.DeadlockError
			if !errors.As(err, &dead) || !strings.Contains(err.Error(), "job stuck: 2 of 2 ranks wait for ever") ||
				!strings.Contains(err.Error(), "rank 1 at 3 us") ||
				strings.Contains(err.Error(), "job well") {
				t.Errorf("%d workers: %v", workers, err)
			}
			e.Jobs[1].Program = func(rank *mpi.Rank) {
				rank.Compute(3 * mpi.Microsecond)
				if rank.Rank() == 1 {
					panic("by intention")
				}
			}
			_, err = e.Run(context.Background(), fabricast.Workers(workers))
			var failed *fabricast.RunError
			if !errors.As(err, &failed) || failed.Job != "stuck" || failed.Rank != 1 {
				t.Errorf("%d workers: %v", workers, err)
			}
		}
	}
}

// TestBackgroundTraffic: traffic without an end of its own goes on until the others have ended, one
// with a duration as long as that says, at the load that it has.
func TestBackgroundTraffic(t *testing.T) {
	const text = `
network: {topology: {kind: torus, dims: [4, 4]}}
jobs:
  - {name: a, workload: {program: alltoall, size: 64KiB}, ranks: 8}
  - {name: endless, traffic: {load: 20%%}, ranks: 4, start: 10us}
  - {name: short, traffic: {load: 20%%, pattern: tornado}, ranks: 4, duration: %s}
`
	e, err := fabricast.Parse("traffic.yaml", fmt.Sprintf(text, "100us"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	a, endless, short := r.Jobs[0], r.Jobs[1], r.Jobs[2]
	if endless.End < a.End || endless.End > a.End+a.End/32+2*(1<<20) {
		t.Errorf("the traffic ended at %d, the ranks at %d", endless.End, a.End)
	}
	if short.Time != 100_000_000 || r.SimulatedTime != max(a.End, short.End) {
		t.Errorf("%d of the short traffic, %d in all, %d of the ranks", short.Time, r.SimulatedTime, a.End)
	}
	for _, j := range []fabricast.JobResult{endless, short} {
		// a fifth of 4 links of 8 GB/s
		want := 0.2 * 4 * 8e9 * float64(j.Time) / 1e12
		if got := float64(j.PayloadBytes); got < 0.85*want || got > 1.15*want {
			t.Errorf("%s: %g B, want about %g", j.Name, got, want)
		}
	}
}
