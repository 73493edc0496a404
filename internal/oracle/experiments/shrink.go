package experiments

import (
	"slices"

	"fabricast/internal/units"

	"fabricast/fabric"
)

// Shrink simplifies a failing experiment as long as it still fails: it removes messages, and
// simplifies the network and its parameters.
func Shrink(e *Experiment, fails func(*Experiment) bool) *Experiment {
	for {
		smaller := shrinkOnce(e, fails)
		if smaller == nil {
			return e
		}
		e = smaller
	}
}

// shrinkOnce returns a simpler experiment that fails, or nil if it finds none.
func shrinkOnce(e *Experiment, fails func(*Experiment) bool) *Experiment {
	for size := len(e.Messages) / 2; size > 0; size /= 2 {
		for first := 0; first+size <= len(e.Messages); first += size {
			if smaller := e.without(first, first+size); fails(smaller) {
				return smaller
			}
		}
	}
	for _, simplify := range simplifications {
		smaller := e.clone()
		simplify(smaller)
		if smaller.String() != e.String() && fails(smaller) {
			return smaller
		}
	}
	return nil
}

func (e *Experiment) clone() *Experiment {
	c := *e
	c.Dims = slices.Clone(e.Dims)
	c.Wrap = slices.Clone(e.Wrap)
	c.Messages = slices.Clone(e.Messages)
	if e.Tree != nil {
		tree := *e.Tree
		c.Tree = &tree
	}
	if e.Doors != nil {
		doors := *e.Doors
		doors.Events = slices.Clone(e.Doors.Events)
		c.Doors = &doors
	}
	if e.HostLinks != nil {
		c.HostLinks = &HostLinks{Links: slices.Clone(e.HostLinks.Links), Of: slices.Clone(e.HostLinks.Of)}
	}
	return &c
}

// without returns the experiment without the messages first to last-1 and those that they cause.
func (e *Experiment) without(first, last int) *Experiment {
	c := e.clone()
	c.Messages = nil
	number := make([]int, len(e.Messages)) // by message: its index in the new list; -1: it is removed
	for i, m := range e.Messages {
		number[i] = -1
		if i >= first && i < last || m.Cause != AtStart && number[m.Of] < 0 {
			continue
		}
		if m.Cause != AtStart {
			m.Of = number[m.Of]
		}
		number[i] = len(c.Messages)
		c.Messages = append(c.Messages, m)
	}
	return c
}

// simplifications are functions that each simplify one part of an experiment.
var simplifications = []func(*Experiment){
	func(e *Experiment) { e.Doors = nil },
	func(e *Experiment) { changeDoors(e, func(d *Doors) { d.Epochs = nil }) },
	func(e *Experiment) { changeDoors(e, func(d *Doors) { d.Events = nil }) },
	func(e *Experiment) { changeDoors(e, func(d *Doors) { d.Events = d.Events[:len(d.Events)/2] }) },
	func(e *Experiment) { changeDoors(e, func(d *Doors) { d.Events = d.Events[len(d.Events)/2:] }) },
	func(e *Experiment) { changeDoors(e, func(d *Doors) { d.Agent = false }) },
	func(e *Experiment) { changeDoors(e, func(d *Doors) { d.Hold = 1 }) },
	func(e *Experiment) { changeDoors(e, func(d *Doors) { d.Hooks = false }) },
	func(e *Experiment) { changeDoors(e, func(d *Doors) { d.Window = 0 }) },
	func(e *Experiment) { changeDoors(e, func(d *Doors) { d.Pace = 0 }) },
	func(e *Experiment) { e.Route, e.Seed = Plain, 0 },
	func(e *Experiment) { e.Publish = 0 },
	func(e *Experiment) {
		if e.Route == Adaptive {
			e.Route = Random
		}
	},
	func(e *Experiment) { e.Router.Queues = fabric.InputQueues },
	func(e *Experiment) { e.Router.Allocation = fabric.CombinedAllocation },
	func(e *Experiment) { e.Router.Turnaround = 0 },
	func(e *Experiment) { e.Router.Injection = fabric.RoutedVC },
	func(e *Experiment) { e.Router.OutputBuffer = 0 },
	func(e *Experiment) {
		if e.Router.OutputBuffer > 0 {
			e.Router.OutputBuffer = units.Bytes(1000 * e.Packet.MTU)
		}
	},
	func(e *Experiment) { e.Router.Arbiter = 0 },
	func(e *Experiment) { e.Router.VCs, e.Router.Classes = e.Router.Set(), nil },
	func(e *Experiment) {
		if len(e.Router.Classes) == 0 {
			e.Router.VCs = min(e.Router.VCs, 2)
		}
	},
	func(e *Experiment) { e.Router.Buffer = units.Bytes(1000 * e.Packet.MTU) },
	func(e *Experiment) { e.Packet.Header = 0 },
	func(e *Experiment) { e.Router.Routing = 0 },
	func(e *Experiment) { e.Router.VCAllocation = 0 },
	func(e *Experiment) { e.Router.SwitchAllocation = 0 },
	func(e *Experiment) { e.Router.SwitchTraversal = 0 },
	func(e *Experiment) { e.Router.Latency = 0 },
	func(e *Experiment) { e.HostLinks = nil },
	func(e *Experiment) { changeHostLinks(e, func(l *fabric.Link) { l.Latency = e.HostLink.Latency }) },
	func(e *Experiment) { changeHostLinks(e, func(l *fabric.Link) { l.Bandwidth = e.HostLink.Bandwidth }) },
	func(e *Experiment) { e.HostLink.Latency = 0 },
	func(e *Experiment) { e.Link.Latency = 1000 },
	func(e *Experiment) { e.Link.Bandwidth = 1_000_000_000 },
	func(e *Experiment) { e.HostLink.Bandwidth = 1_000_000_000 },
	func(e *Experiment) { e.Router.Bandwidth = 1_000_000_000 },
	func(e *Experiment) { e.DMA = 1_000_000_000 },
	func(e *Experiment) { e.Turns = false },
	func(e *Experiment) { e.Control = false },
	func(e *Experiment) { e.Gap = 0 },
	func(e *Experiment) { e.IOBus = fabric.IOBus{} },
	func(e *Experiment) { e.IOBus.Latency = 0 },
	func(e *Experiment) { e.IOBus.Bandwidth = units.Rate(min(int64(e.IOBus.Bandwidth), 1_000_000_000)) },
	func(e *Experiment) { changeMessages(e, func(m *Message) { m.Cause, m.Of = AtStart, 0 }) },
	func(e *Experiment) { changeMessages(e, func(m *Message) { m.Class = 0 }) },
	func(e *Experiment) { changeMessages(e, func(m *Message) { m.Gap = 0 }) },
	func(e *Experiment) { changeMessages(e, func(m *Message) { m.Gap = min(m.Gap, 1) }) },
	func(e *Experiment) { changeMessages(e, func(m *Message) { m.Ahead = 0 }) },
	func(e *Experiment) { changeMessages(e, func(m *Message) { m.Waited = 0 }) },
	func(e *Experiment) { changeMessages(e, func(m *Message) { m.Delay = 0 }) },
	func(e *Experiment) { changeMessages(e, func(m *Message) { m.Size = min(m.Size, e.Packet.Payload()) }) },
	func(e *Experiment) { changeMessages(e, func(m *Message) { m.Size = 0 }) },
	func(e *Experiment) { e.Wrap = make([]bool, len(e.Dims)) },
	shortenDimension,
	cutLeaf,
}

func changeDoors(e *Experiment, change func(*Doors)) {
	if e.Doors != nil {
		change(e.Doors)
	}
}

func changeMessages(e *Experiment, change func(*Message)) {
	for i := range e.Messages {
		change(&e.Messages[i])
	}
}

func changeHostLinks(e *Experiment, change func(*fabric.Link)) {
	if e.HostLinks == nil {
		return
	}
	for i := range e.HostLinks.Links {
		change(&e.HostLinks.Links[i])
	}
}

// shortenDimension removes one router from a dimension, provided that all messages still have a
// source and a destination.
func shortenDimension(e *Experiment) {
	for i := len(e.Dims) - 1; i >= 0; i-- {
		if k := e.Dims[i]; k > 1 && e.fit(e.Hosts()/k*(k-1)) {
			e.Dims[i]--
			return
		}
	}
}

// cutLeaf removes the last router of a tree, provided that no host there sends or receives
// messages.
func cutLeaf(e *Experiment) {
	if e.Tree == nil || len(e.Tree.Parents) == 1 {
		return
	}
	t := e.Tree
	last := len(t.Parents) - 1
	if e.fit(e.Hosts() - int(t.Hosts[last])) {
		t.Parents, t.Hosts, t.Classes = t.Parents[:last], t.Hosts[:last], t.Classes[:last]
	}
}

// fit reports whether all messages are between the first `hosts` hosts.
func (e *Experiment) fit(hosts int) bool {
	return !slices.ContainsFunc(e.Messages, func(m Message) bool {
		return max(e.host(m.Src), e.host(m.Dst)) >= int32(hosts)
	})
}
