package recording

import (
	"path/filepath"
	"slices"
	"testing"

	"fabricast"
	"fabricast/internal/causes"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/record"
)

// meetAll sends messages of several packets from each rank to all others, so that they meet.
func meetAll(r *mpi.Rank) {
	for range 3 {
		r.Alltoall(mpi.Size(20_000), mpi.Size(20_000), "")
	}
}

// TestHoldersOfMessages: the waits of each message sum to those of its latency, each matrix to all of them,
// and the tables do not depend on the number of workers.
func TestHoldersOfMessages(t *testing.T) {
	var first []record.Wait
	for _, workers := range []int{1, 3} {
		e := producttest.Torus(4, 4)
		e.Program, e.Ranks = meetAll, 16
		e.Record.Set("causes=full")
		folder := filepath.Join(t.TempDir(), "run")
		producttest.Run(t, &e, fabricast.Record(folder), fabricast.Workers(workers))
		r, err := record.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		waits := all[record.Wait](t, r, record.WaitsTable)
		if first == nil {
			first = waits
		}
		if !slices.Equal(first, waits) {
			t.Error("the waits depend on the number of workers")
		}
		whole := checkWaits(t, r, waits)
		sums := map[string]int64{}
		for _, b := range all[record.Blame](t, r, record.BlameTable) {
			sums[b.Matrix] += b.Wait
		}
		for _, matrix := range []string{record.BlameFlow, record.BlameRank, record.BlameLink, record.BlameRoot} {
			if sums[matrix] != whole {
				t.Errorf("matrix %s sums to %d ps, want %d ps", matrix, sums[matrix], whole)
			}
		}
	}
}

// TestSendersOfWaits: with several jobs, waits and matrices name the ranks over all jobs, none for
// traffic, and the right jobs.
func TestSendersOfWaits(t *testing.T) {
	e, err := fabricast.Parse("jobs.yaml", "network: {topology: {kind: mesh, dims: [3, 3], hosts: 2}, "+
		"router: {buffer: 2KiB}}\njobs:\n"+
		"  - {name: t, ranks: 6, traffic: {pattern: uniform, load: 0.6, size: 2KiB}, placement: random-nodes}\n"+
		"  - {name: a, ranks: 4, workload: {program: alltoall, size: 9KiB}, placement: random-nodes}\n"+
		"  - {name: b, ranks: 4, workload: {program: alltoall, size: 20KiB}, placement: random-nodes}\n")
	if err != nil {
		t.Fatal(err)
	}
	e.Record.Set("causes=full")
	folder := filepath.Join(t.TempDir(), "run")
	producttest.Run(t, e, fabricast.Record(folder))
	r, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	ranks := map[int32]int32{}
	for _, row := range all[record.Rank](t, r, record.RanksTable) {
		ranks[row.Host] = row.Rank + 1
	}
	jobOf := func(host int32) int32 { // 4 ranks each, after the traffic
		return (ranks[host] + 3) / 4
	}
	jobs := map[[2]int32]int64{}
	for _, w := range all[record.Wait](t, r, record.WaitsTable) {
		if w.SourceRank != ranks[w.Source]-1 || w.HolderSourceRank != ranks[w.HolderSource]-1 {
			t.Fatalf("hosts %d and %d have ranks %d and %d, not %d and %d", w.Source, w.HolderSource,
				ranks[w.Source]-1, ranks[w.HolderSource]-1, w.SourceRank, w.HolderSourceRank)
		}
		jobs[[2]int32{jobOf(w.Source), jobOf(w.HolderSource)}] += w.Wait
	}
	if len(jobs) != 9 {
		t.Errorf("jobs do not all wait for one another: %v", jobs)
	}
	for _, b := range all[record.Blame](t, r, record.BlameTable) {
		if b.Matrix == record.BlameJob {
			jobs[[2]int32{b.Source, b.HolderSource}] -= b.Wait
		}
	}
	for pair, rest := range jobs {
		if rest != 0 {
			t.Errorf("the waits of job %d for job %d differ by %d ps", pair[0], pair[1], rest)
		}
	}
}

// checkWaits compares the waits of each message with the parts of its latency, and returns their sum.
func checkWaits(t *testing.T, r *record.Reader, waits []record.Wait) (whole int64) {
	t.Helper()
	sums := map[int64]int64{}
	for i := range waits {
		sums[waits[i].Message] += waits[i].Wait
		whole += waits[i].Wait
	}
	if whole == 0 {
		t.Error("no message waits")
	}
	for _, d := range all[record.Division](t, r, record.CausesTable) {
		parts := d.Parts()
		for part := causes.FirstOfNetwork; part < causes.Overtaken; part++ {
			if part.Waits() {
				sums[d.Message] -= parts[part]
			}
		}
	}
	for message, rest := range sums {
		if rest != 0 {
			t.Fatalf("message %d: waits and parts differ by %d ps", message, rest)
		}
	}
	return whole
}
