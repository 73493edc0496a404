package recording

import (
	"cmp"
	"errors"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/fabric/model"
	"fabricast/internal/holders"
	"fabricast/record"
)

// Hop implements fabric.Sink: it records a hop of a packet.
func (r *Recorder) Hop(block int, h *fabric.Hop) {
	row := record.Hop{
		Message: h.Message, Source: h.Source, Destination: h.Destination,
		SourceRank: r.senders.rank(h.Source/int32(r.plan.Fabric.Graph.NICsPerHost), h.SourceRank),
		Stage:      int8(h.Stage), Port: h.Port, VC: h.VC, OutPort: h.OutPort, OutVC: h.OutVC,
		Flits: h.Flits, Needs: h.Needs, Ready: h.Ready, Asked: h.Asked, Start: h.Start, Leave: h.Leave, Queue: h.Queue,
		Flow: h.Flow, Packet: h.Packet, Times: h.Times, Reason: int8(h.Reason),
	}
	if h.Last {
		row.Last = 1
	}
	r.hops.Add(block, &row)
}

func hopTime(h *record.Hop) int64 { return h.Start }

// hopNumber orders the stages as package holders does: the last one first.
func hopNumber(h *record.Hop) int32 { return int32(model.Failed) - int32(h.Stage) }

func compareHops(a, b *record.Hop) int {
	left, right := hopOf(a), hopOf(b)
	return cmp.Or(
		holders.Compare(&left, &right), cmp.Compare(a.Last, b.Last), cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Flow, b.Flow), cmp.Compare(a.Packet, b.Packet), cmp.Compare(a.Times, b.Times),
		cmp.Compare(a.Reason, b.Reason),
	)
}

// hopOf returns the hop of a row.
func hopOf(h *record.Hop) fabric.Hop {
	return fabric.Hop{
		Message: h.Message, Source: h.Source, Destination: h.Destination, SourceRank: h.SourceRank,
		Stage: model.Stage(h.Stage), Last: h.Last != 0, Port: h.Port, VC: h.VC, OutPort: h.OutPort, OutVC: h.OutVC,
		Flits: h.Flits, Needs: h.Needs, Ready: h.Ready, Asked: h.Asked, Start: h.Start, Leave: h.Leave, Queue: h.Queue,
		Flow: h.Flow, Packet: h.Packet, Times: h.Times, Reason: model.Reason(h.Reason),
	}
}

// full reports whether the holders of what messages wait for are to be found.
func (r *Recorder) full() bool {
	return (r.packets || r.lossy) && r.what.Causes == experiment.CausesFull
}

// writeHolders writes the tables of waits, from that of hops, which is complete.
func (r *Recorder) writeHolders(about map[string]string) error {
	if r.lossy {
		return r.writeLossy(about)
	}
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
		Flow  int32 `parquet:"flow"`
	}
	z := holders.NewHorizons(forgetAfter)
	for h, err := range record.Written[times](r.folder, record.HopsTable) {
		if err != nil {
			return nil, err
		}
		if r.lossy {
			z.AddPacket(&fabric.Hop{Stage: model.Stage(h.Stage), Ready: h.Ready, Asked: h.Asked, Flow: h.Flow})
		} else {
			z.Add(model.Stage(h.Stage), h.Ready, h.Asked)
		}
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
