package ethernetoracle

import "cmp"

// kind is the kind of an event. Kinds are in their order at an instant.
type kind int

const (
	linkChanges  kind = iota // in their order
	entersSwitch             // by port
	entersNIC                // by NIC
	leftPort                 // by port
	pausesPort               // by port, in the order of frames
	pausesNIC                // by NIC, in the order of frames
	leftNIC                  // by NIC
	flowIsDue                // by NIC, and number of the flow
	grantIsDue               // by NIC
	hostWakes                // by host
)

// event is something that happens at a time.
type event struct {
	at          int64 // ps
	kind        kind
	place, flow int
	number      int // of events so far
	do          func()
}

// events is a heap of events (container/heap).
type events []*event

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(v any)   { *e = append(*e, v.(*event)) }

func (e events) Less(i, j int) bool {
	x, y := e[i], e[j]
	return cmp.Or(
		cmp.Compare(x.at, y.at), cmp.Compare(x.kind, y.kind), cmp.Compare(x.place, y.place),
		cmp.Compare(x.flow, y.flow), cmp.Compare(x.number, y.number),
	) < 0
}

func (e *events) Pop() any {
	last := len(*e) - 1
	v := (*e)[last]
	*e = (*e)[:last]
	return v
}
