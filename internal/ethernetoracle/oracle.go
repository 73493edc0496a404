package ethernetoracle

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"slices"

	"fabricast/ethernet"
	"fabricast/ethernet/control"
)

// Message is a message between two NICs, posted at a time (ps).
type Message struct {
	Src, Dst   int32
	Size, Post int64
	Class      int
	Number     int64 // by which those are ordered that fill a queue together
}

// Counts are sums over a network, with the names and meanings of those of package ethernet.
type Counts struct {
	Packets, Delivered, Again, Duplicates, OutOfOrder, Discarded, Hops, Bytes uint64
	Latency                                                                   int64
	Marked, Trimmed, Dropped, HeadersDropped, Damaged, HeadersDamaged         uint64
	Lost, HeadersLost, Rerouted                                               uint64
	Acks, Nacks, Grants, Requests, Notifications, Timeouts, Pauses            uint64
	Paused                                                                    int64
}

// Outcome is what came of messages.
type Outcome struct {
	Sent     []int64 // when the send of each was complete (ps); 0: never
	Received []int64 // when each had arrived (ps); 0: never
	Counts   Counts
	ByClass  []Counts // of each class: Packets, Marked, Trimmed, Dropped, Pauses and Paused
	Pauses   []Pause  // those that have ended
}

// Pause is a pause of what sends to a port, until the frame that ended it was sent.
type Pause struct {
	In, Out    int // port through which the packet came that was too much, and that which it waited for
	Class      int
	Begin, End int64 // ps
	PassedOn   bool  // Out was paused when it began
}

// ends identify a flow: its NICs, and its queue pair. Those of a class follow those of the one before.
type ends struct{ src, dst, pair int }

// network is a network while it is simulated.
type network struct {
	spec     ethernet.Spec
	needs    control.Needs
	messages []Message
	distance [][]int // links between two routers
	// epochDistance are those of the epochs that have begun; directions are those of links
	epochDistance [][][]int
	directions    []direction

	now       int64 // ps
	events    events
	scheduled int

	ports     []*port
	nics      []*nic
	senders   map[ends]*sender
	receivers map[*sender]*receiver
	sent, got []int64
	counts    Counts
	byClass   []Counts
	pauses    []Pause
	inNetwork map[*packet]bool // those with payload that are neither lost nor at their receivers
	last      []*packet        // of each message: the one that made it complete
}

// ErrEndless is the error of Run for an experiment that seems to go on for ever: nothing is drawn of
// when packets are sent, so that in buffers of few packets the same ones can be lost over and over.
var ErrEndless = errors.New("ethernetoracle: too many events")

// mostEvents is the number of events that Run simulates at most, much more than small experiments take.
const mostEvents = 300_000

// Run simulates messages in a network, until nothing happens any more. It returns an error for
// specifications of which the model says nothing, and ErrEndless.
func Run(spec ethernet.Spec, messages []Message) (*Outcome, error) {
	return run(spec, messages, func(*network, int64) {})
}

// run is Run with a function that is called before time passes (ps).
func run(spec ethernet.Spec, messages []Message, passes func(n *network, time int64)) (*Outcome, error) {
	if err := check(&spec); err != nil {
		return nil, err
	}
	n := &network{
		spec: spec, messages: messages, senders: map[ends]*sender{}, receivers: map[*sender]*receiver{},
		sent: make([]int64, len(messages)), got: make([]int64, len(messages)),
		inNetwork: map[*packet]bool{}, last: make([]*packet, len(messages)),
	}
	n.byClass = make([]Counts, len(n.classes()))
	if r, ok := spec.NIC.Control.(control.Requirer); ok {
		n.needs = r.Needs()
	}
	n.distance, n.epochDistance = distances(spec.Graph), make([][][]int, len(spec.Epochs))
	for id := range spec.Graph.Ports {
		n.ports = append(n.ports, &port{id: id, paused: map[int]bool{}, pausedBy: map[int]*pausing{}, scheduler: n.newScheduler(), inputs: map[int]*account{}})
	}
	for id := range spec.Graph.NICPort {
		n.nics = append(n.nics, &nic{id: id, paused: map[int]bool{}, pausedBy: map[int]*pausing{}, scheduler: n.newScheduler()})
	}
	n.scheduleChanges()
	n.wakeHosts()
	for done := 0; len(n.events) > 0; done++ {
		if done == mostEvents {
			return nil, ErrEndless
		}
		e := heap.Pop(&n.events).(*event)
		passes(n, e.at-n.now)
		n.now = e.at
		e.do()
	}
	return &Outcome{n.sent, n.got, n.counts, n.byClass, n.pauses}, n.verify()
}

// wakeHosts schedules the hosts. A host posts all messages of an instant at once, in their order.
func (n *network) wakeHosts() {
	type waking struct {
		host int
		at   int64
	}
	posts := map[waking][]int{}
	for i, m := range n.messages {
		w := waking{int(m.Src) / n.spec.Graph.NICsPerHost, m.Post}
		if posts[w] = append(posts[w], i); len(posts[w]) > 1 {
			continue
		}
		n.at(w.at, hostWakes, w.host, 0, func() {
			for _, message := range posts[w] {
				n.post(message)
			}
		})
	}
}

// check returns an error if the model does not define the behaviour of a specification.
func check(s *ethernet.Spec) error {
	switch {
	case s.Packet.Header < 1 || s.Packet.MTU <= s.Packet.Header || s.Packet.Control < 1:
		return errors.New("ethernetoracle: packets without room for payload, or of no size")
	case s.Switch.Queue < s.Packet.MTU && (s.Switch.Queue != 0 || s.Switch.Shared == nil):
		return errors.New("ethernetoracle: a full packet does not fit into a queue")
	case s.Switch.Headers < 1:
		return errors.New("ethernetoracle: no room for packets without payload")
	case s.NIC.Timeout == 0 || s.NIC.Timeout < 0 && (s.Switch.Shared == nil || !s.Switch.Shared.Pauses):
		return errors.New("ethernetoracle: without a timeout, switches must pause")
	}
	return nil
}

// at schedules an event.
func (n *network) at(time int64, kind kind, place, flow int, do func()) {
	if time < n.now {
		panic(fmt.Sprintf("ethernetoracle: an event at %d ps is scheduled at %d ps", time, n.now))
	}
	n.scheduled++
	heap.Push(&n.events, &event{time, kind, place, flow, n.scheduled, do})
}

// verify returns an error if a message is left over though no port is paused.
func (n *network) verify() error {
	if slices.ContainsFunc(n.ports, func(p *port) bool {
		return slices.ContainsFunc(p.queue, func(k *packet) bool { return p.paused[k.class] })
	}) || n.anyDown() {
		return nil // a deadlock of pauses, or flows may be cut off
	}
	flows := make([]*sender, 0, len(n.senders))
	for _, f := range n.senders {
		flows = append(flows, f)
	}
	slices.SortFunc(flows, func(f, g *sender) int {
		return cmp.Or(cmp.Compare(f.nic.id, g.nic.id), cmp.Compare(f.number, g.number))
	})
	for _, f := range flows {
		if f.una != len(f.packets) || f.underWay() != 0 {
			return fmt.Errorf("ethernetoracle: flow %d from NIC %d to NIC %d has sent %d of %d packets, "+
				"%d are acknowledged, %d B are believed under way", f.number, f.nic.id, f.dst, f.next,
				len(f.packets), f.una, f.underWay())
		}
	}
	return nil
}
