package recording

import (
	"cmp"
	"slices"

	"fabricast/fabric"
	"fabricast/record"
)

// Divided implements fabric.Sink: it records a delivered message with its latency by cause.
func (r *Recorder) Divided(block int, d *fabric.Divided) {
	if d.Delivered < r.from {
		return
	}
	row := r.division(d)
	r.divided.Add(block, &row)
}

// division returns the row of a divided message.
func (r *Recorder) division(d *fabric.Divided) record.Division {
	nics := int32(r.plan.Fabric.Graph.NICsPerHost)
	row := record.Division{
		Message: d.Number, SourceHost: d.Source / nics, DestinationHost: d.Destination / nics,
		Bytes: d.Bytes, Send: d.Sent, Post: d.Post, Delivery: d.Delivered,
	}
	row.SetParts(&d.Parts)
	return row
}

func dividedTime(d *record.Division) int64 { return d.Delivery }

func dividedNumber(d *record.Division) int32 { return d.SourceHost }

func compareDivided(a, b *record.Division) int {
	switch { // most differ in what comes first
	case a.Delivery != b.Delivery:
		return cmp.Compare(a.Delivery, b.Delivery)
	case a.SourceHost != b.SourceHost:
		return cmp.Compare(a.SourceHost, b.SourceHost)
	}
	if c := cmp.Or(
		cmp.Compare(a.DestinationHost, b.DestinationHost), cmp.Compare(a.Send, b.Send),
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Post, b.Post),
	); c != 0 {
		return c
	}
	left, right := a.Parts(), b.Parts()
	return slices.Compare(left[:], right[:])
}
