package recording

import (
	"cmp"
	"errors"
	"iter"
	"maps"
	"slices"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/fabric/model"
	"fabricast/internal/holders"
	"fabricast/internal/plan"
	"fabricast/record"
)

// Hop implements fabric.Sink: it records a hop of a packet.
func (r *Recorder) Hop(block int, h *fabric.Hop) {
	row := record.Hop{
		Message: h.Message, Source: h.Source, Destination: h.Destination, SourceRank: h.SourceRank,
		Stage: int8(h.Stage), Port: h.Port, VC: h.VC, OutPort: h.OutPort, OutVC: h.OutVC,
		Flits: h.Flits, Needs: h.Needs, Ready: h.Ready, Asked: h.Asked, Start: h.Start, Leave: h.Leave, Queue: h.Queue,
	}
	if h.Last {
		row.Last = 1
	}
	r.hops.Add(block, row)
}

func hopTime(h *record.Hop) int64 { return h.Start }

func compareHops(a, b record.Hop) int {
	left, right := hopOf(&a), hopOf(&b)
	return cmp.Or(holders.Compare(&left, &right), cmp.Compare(a.Last, b.Last))
}

// hopOf returns the hop of a row.
func hopOf(h *record.Hop) fabric.Hop {
	return fabric.Hop{
		Message: h.Message, Source: h.Source, Destination: h.Destination, SourceRank: h.SourceRank,
		Stage: model.Stage(h.Stage), Last: h.Last != 0, Port: h.Port, VC: h.VC, OutPort: h.OutPort, OutVC: h.OutVC,
		Flits: h.Flits, Needs: h.Needs, Ready: h.Ready, Asked: h.Asked, Start: h.Start, Leave: h.Leave, Queue: h.Queue,
	}
}

// full reports whether the holders of what messages wait for are to be found.
func (r *Recorder) full() bool { return r.packets && r.what.Causes == experiment.CausesFull }

// writeHolders writes the tables of waits, from that of hops, which is complete.
func (r *Recorder) writeHolders(about map[string]string) error {
	horizons, failed := r.horizons()
	sums := newBlame(r.plan)
	waits := func(yield func(record.Wait) bool) {
		more := true
		f := holders.New(&r.plan.Fabric, horizons, func(w *holders.Wait) {
			sums.add(w)
			more = more && yield(r.waitRow(w))
		})
		for row, err := range record.Written[record.Hop](r.folder, record.HopsTable) {
			if err != nil {
				failed = errors.Join(failed, err)
				return
			}
			hop := hopOf(&row)
			f.Take(&hop)
		}
	}
	err := record.WriteTable(r.folder, record.WaitsTable, waits, about)
	return errors.Join(err, failed, record.WriteTable(r.folder, record.BlameTable, sums.rows(), about))
}

// forgetAfter is the number of hops after which those are forgotten that are no longer needed.
const forgetAfter = 1 << 12

// horizons returns how far back the hops of the table refer to earlier ones.
func (r *Recorder) horizons() (*holders.Horizons, error) {
	type times struct {
		Stage int8  `parquet:"stage"`
		Ready int64 `parquet:"ready_ps"`
		Asked int64 `parquet:"asked_ps"`
	}
	z := holders.NewHorizons(forgetAfter)
	for h, err := range record.Written[times](r.folder, record.HopsTable) {
		if err != nil {
			return nil, err
		}
		z.Add(model.Stage(h.Stage), h.Ready, h.Asked)
	}
	z.End()
	return z, nil
}

func (r *Recorder) waitRow(w *holders.Wait) record.Wait {
	nics := int32(r.plan.Fabric.Graph.NICsPerHost)
	return record.Wait{
		Message: w.Message.Message, Source: w.Message.Source / nics, Destination: w.Message.Destination / nics,
		SourceRank: w.Message.SourceRank, Cause: w.Part.String(), Link: w.Message.Link,
		Holder: w.Holder.Message, HolderSource: w.Holder.Source / nics,
		HolderDestination: w.Holder.Destination / nics, HolderSourceRank: w.Holder.SourceRank,
		HolderLink: w.Holder.Link, Wait: w.Time,
	}
}

// blame sums waits by flows, ranks, jobs and links.
type blame struct {
	nics  int32
	jobs  []int                            // first rank of each job after the first
	ranks bool                             // messages have ranks
	sums  [len(matrices)]map[element]int64 // by matrix: see matrices
}

func newBlame(p *plan.Plan) *blame {
	b := &blame{
		nics: int32(p.Fabric.Graph.NICsPerHost), ranks: !p.Experiment.HasTraffic(),
	}
	for i := range b.sums {
		b.sums[i] = map[element]int64{}
	}
	for i := range p.Jobs {
		if i > 0 {
			b.jobs = append(b.jobs, p.Jobs[i].First)
		}
	}
	return b
}

// matrices are the matrices in the order of their rows.
var matrices = [...]string{record.BlameFlow, record.BlameJob, record.BlameLink, record.BlameRank, record.BlameRoot}

// The indices of matrices.
const (
	byFlow = iota
	byJob
	byLink
	byRank
	byRoot
)

// element identifies an element of a matrix, as the columns of record.Blame do.
type element struct{ source, destination, holderSource, holderDestination int32 }

// add adds a wait to all matrices.
func (b *blame) add(w *holders.Wait) {
	m, h := &w.Message, &w.Holder
	source, destination := h.Source/b.nics, h.Destination/b.nics
	b.sums[byFlow][element{m.Source / b.nics, m.Destination / b.nics, source, destination}] += w.Time
	b.sums[byLink][element{m.Link, -1, source, destination}] += w.Time
	b.sums[byRoot][element{h.Link, -1, source, destination}] += w.Time
	if b.ranks {
		b.sums[byRank][element{m.SourceRank, -1, h.SourceRank, -1}] += w.Time
	}
	if b.jobs != nil {
		b.sums[byJob][element{b.job(m.SourceRank), -1, b.job(h.SourceRank), -1}] += w.Time
	}
}

// job returns the job of a rank.
func (b *blame) job(rank int32) int32 {
	n, found := slices.BinarySearch(b.jobs, int(rank))
	if found {
		n++
	}
	return int32(n)
}

// rows returns the elements of all matrices, in order.
func (b *blame) rows() iter.Seq[record.Blame] {
	return func(yield func(record.Blame) bool) {
		for i, matrix := range matrices {
			elements := slices.SortedFunc(maps.Keys(b.sums[i]), func(a, b element) int {
				return cmp.Or(
					cmp.Compare(a.source, b.source), cmp.Compare(a.destination, b.destination),
					cmp.Compare(a.holderSource, b.holderSource), cmp.Compare(a.holderDestination, b.holderDestination),
				)
			})
			for _, e := range elements {
				row := record.Blame{
					Matrix: matrix, Source: e.source, Destination: e.destination, HolderSource: e.holderSource,
					HolderDestination: e.holderDestination, Wait: b.sums[i][e],
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}
