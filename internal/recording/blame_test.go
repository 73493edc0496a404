package recording

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"fabricast/internal/holders"
	"fabricast/record"
)

// TestMatricesOfWaits compares the matrices of random waits with sums in one map.
func TestMatricesOfWaits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	jobs := slices.Concat(slices.Repeat([]int32{0}, 10), slices.Repeat([]int32{1}, 10))
	b, want := &blame{nics: 2, ranks: true, jobs: jobs, flows: map[pair]*sums{}}, map[record.Blame]int64{}
	one := func() holders.Holder {
		nic := func() int32 { return random.Int32N(40) }
		return holders.Holder{Message: 1, Source: nic(), Destination: nic(), SourceRank: nic() - 1, Link: nic()}
	}
	job := func(nic int32) int32 { return nic / 20 }
	for range 20_000 {
		w := holders.Wait{Message: one(), Holder: one(), Time: 1 + random.Int64N(1000)}
		b.add(&w)
		m, h := &w.Message, &w.Holder
		add := func(matrix string, source, destination, holderSource, holderDestination int32) {
			want[record.Blame{
				Matrix: matrix, Source: source, Destination: destination,
				HolderSource: holderSource, HolderDestination: holderDestination,
			}] += w.Time
		}
		add(record.BlameFlow, m.Source/2, m.Destination/2, h.Source/2, h.Destination/2)
		add(record.BlameLink, m.Link, -1, h.Source/2, h.Destination/2)
		add(record.BlameRoot, h.Link, -1, h.Source/2, h.Destination/2)
		add(record.BlameRank, m.SourceRank, -1, h.SourceRank, -1)
		add(record.BlameJob, job(m.Source), -1, job(h.Source), -1)
	}
	var sorted []record.Blame
	for e, time := range want {
		e.Wait = time
		sorted = append(sorted, e)
	}
	slices.SortFunc(sorted, func(a, b record.Blame) int {
		return cmp.Or(cmp.Compare(a.Matrix, b.Matrix), cmp.Compare(a.Source, b.Source),
			cmp.Compare(a.Destination, b.Destination), cmp.Compare(a.HolderSource, b.HolderSource),
			cmp.Compare(a.HolderDestination, b.HolderDestination))
	})
	got := slices.Collect(b.rows())
	if !slices.Equal(got, sorted) {
		t.Errorf("%d elements differ from the %d of the map", len(got), len(sorted))
	}
}
