package recording

import (
	"errors"

	"fabricast/fabric"
	"fabricast/internal/holders"
	"fabricast/record"
)

// writeLossy writes the tables of divided messages and of waits of a network that drops or pauses packets, from
// that of hops, which is complete.
func (r *Recorder) writeLossy(about map[string]string) error {
	horizons, failed := r.horizons()
	if failed != nil {
		return failed
	}
	sums := newBlame(r.plan)
	waits := func(yield func(record.Wait) bool) {
		more := true
		failed = r.eachLossy(horizons, func(w *holders.Wait) {
			sums.add(w)
			more = more && yield(r.waitRow(w))
		}, nil)
	}
	err := record.WriteTable(r.folder, record.WaitsTable, waits, about)
	err = errors.Join(err, failed, record.WriteTable(r.folder, record.BlameTable, sums.rows(), about))
	divisions := func(yield func(record.Division) bool) {
		more := true
		failed = r.eachLossy(horizons, nil, func(d *fabric.Divided) {
			more = more && (d.Delivered < r.from || yield(r.division(d)))
		})
	}
	return errors.Join(err, record.WriteTable(r.folder, record.CausesTable, divisions, about), failed)
}

// eachLossy calls functions for each wait and each divided message.
func (r *Recorder) eachLossy(
	horizons *holders.Horizons, wait func(*holders.Wait), divided func(*fabric.Divided),
) error {
	f := holders.NewPackets(r.plan.Fabric.Graph, r.plan.Fabric.Links, horizons, wait, divided)
	for row, err := range record.Written[record.Hop](r.folder, record.HopsTable) {
		if err != nil {
			return err
		}
		hop := hopOf(&row)
		f.Take(&hop)
	}
	f.End()
	return nil
}
