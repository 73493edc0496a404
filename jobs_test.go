package fabricast

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/mpi"
	"fabricast/record"
)

// drawJobs draws what runs at once on a network of so many hosts: as YAML, without background
// traffic if that is not wanted.
func drawJobs(d *rand.Rand, hosts int, background bool) string {
	var jobs []string
	left := hosts
	for i := 0; i < 4 && left >= 2; i++ {
		use := 2 + d.IntN(max(1, min(left-1, left/2+1)))
		per := 1 + d.IntN(2)
		what := one(
			d,
			"workload: {program: alltoall, algorithm: ring, size: 700B}",
			"workload: {program: alltoall, algorithm: simple-spread, size: 300B}",
			"workload: {program: allreduce, size: 3KiB}",
			"workload: {program: random-ring, size: 2KiB, iterations: 3}",
			"workload: {program: uniform, size: 1KiB, messages: 7}",
		)
		ranks := fmt.Sprintf("ranks: %d, per_node: %d", use*per, per)
		if background && i > 0 && d.IntN(3) == 0 {
			what = one(
				d,
				"traffic: {pattern: uniform, load: 30%}",
				"traffic: {pattern: uniform-others, load: 70%, size: 900B, arrivals: poisson}",
				"traffic: {window: 2, size: 64B, reply: 1KiB}",
			) + one(d, "", ", duration: 3us")
			ranks = fmt.Sprintf("ranks: %d", use)
		}
		jobs = append(jobs, fmt.Sprintf(
			"  - {%s, %s, placement: %s, start: %s, seed: %d}", what, ranks,
			one(d, "linear", "random-nodes", "random-routers", "{order: random-groups, group: 3}"),
			one(d, "0ps", "1us", "333ns"), 1+d.IntN(100),
		))
		left -= use
	}
	d.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
	return fmt.Sprintf(
		"node: {nics: %s, protocol: %s}\njobs:\n", one(d, "1", "1", "2"), one(d, "{}", "{}", "{eager: 1KiB}"),
	) + strings.Join(jobs, "\n") + "\n"
}

// hostsOf counts the hosts of a network given as YAML.
func hostsOf(t *testing.T, network string) int {
	t.Helper()
	e, err := Parse("hosts.yaml", "network: {topology: "+network+"}\nworkload: {program: barrier}\n")
	if err != nil {
		t.Fatal(err)
	}
	return e.form().Hosts()
}

// TestWorkersChangeNoJobs runs random jobs, with background traffic and placements of all kinds, on
// every network that can be named, with one to four workers: the result, the tables, and what each
// job suffers are the same.
func TestWorkersChangeNoJobs(t *testing.T) {
	eachSmallNetwork(t, func(t *testing.T, network string) {
		t.Parallel()
		d := drawsFor(t)
		text := "network: {topology: " + network + "}\n" + drawJobs(d, hostsOf(t, network), true)
		if d.IntN(2) == 0 {
			text += "record: {bins: {interval: 500ns}, messages: true, timeline: true}\n"
		}
		var first map[string]string
		for workers := 1; workers <= 4; workers++ {
			got, err := allOf(t, text, workers, Interference())
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if first == nil {
				first = got
			}
			for name := range first {
				if first[name] != got[name] {
					t.Fatalf(
						"%s is another with 1 and %d workers:\n%s\n%s",
						name, workers, text, firstDifference(first[name], got[name]),
					)
				}
			}
		}
	})
}

// TestJobAlone: a program predicts the same in a list of jobs as without one, to the last message.
func TestJobAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 1))
		per := 1 + d.IntN(3)
		ranks := 2 + d.IntN(12*per-1)
		program := one(
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
			one(
				d,
				"",
				"node: {nics: 2, copies: one}\n",
				"node: {protocol: {eager: 256B, rendezvous: read}}\n",
			)
		disturbed := one(d, "", "imbalance: {width: 2us}", "collectives: {allreduce: ring}")
		with := func(text string) *Result {
			e, err := Parse("alone.yaml", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			r, err := e.Run(context.Background(), Workers(1+d.IntN(3)))
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
	for i := range 25 {
		d := rand.New(rand.NewPCG(uint64(i), 0x6a6f62))
		const hosts = 16
		text := fmt.Sprintf("network: {topology: {kind: fully-connected, routers: 1, hosts: %d}}\n", hosts) +
			drawJobs(d, hosts, true)
		e, err := Parse("apart.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r, err := e.Run(context.Background(), Workers(1+i%3), Interference())
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
	for i := range 15 {
		d := rand.New(rand.NewPCG(uint64(i), 0x73756d))
		folder := filepath.Join(t.TempDir(), "result")
		text := "network: {topology: {kind: torus, dims: [4, 4]}}\n" + drawJobs(d, 16, false)
		e, err := Parse("sums.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		r, err := e.Run(context.Background(), Record(folder), Interference())
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
func checkJobTables(t *testing.T, folder string, r *Result) {
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
	e := Experiment{Network: Network{Topology: Topology{Dims: []int{4, 4}}}}
	for i := range jobs {
		e.Jobs = append(e.Jobs, Job{
			Name: fmt.Sprint("n", i), Ranks: ranks, Placement: Placement{Order: "random-nodes"},
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
	r, err := e.Run(context.Background(), Workers(2))
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
			e := Experiment{Network: Network{Topology: Topology{Dims: []int{4, 3}}}}
			e.Jobs = []Job{
				{Name: "well", Ranks: 4, Workload: Workload{Program: "alltoall", Size: 4096}},
				{Name: "stuck", Ranks: 2, Program: func(rank *mpi.Rank) {
					rank.Compute(3 * mpi.Microsecond)
					rank.Recv(mpi.Size(8), 1-rank.Rank(), 3)
				}},
			}
			if background {
				e.Jobs = append(e.Jobs, Job{
					Name: "noise", Ranks: 4, Traffic: Traffic{Pattern: Pattern{Name: "uniform"}, Load: 300_000_000},
				})
			}
			_, err := e.Run(context.Background(), Workers(workers))
			var dead *DeadlockError
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
			_, err = e.Run(context.Background(), Workers(workers))
			var failed *RunError
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
	e, err := Parse("traffic.yaml", fmt.Sprintf(text, "100us"))
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
	for _, j := range []JobResult{endless, short} {
		// a fifth of 4 links of 8 GB/s
		want := 0.2 * 4 * 8e9 * float64(j.Time) / 1e12
		if got := float64(j.PayloadBytes); got < 0.85*want || got > 1.15*want {
			t.Errorf("%s: %g B, want about %g", j.Name, got, want)
		}
	}
}
