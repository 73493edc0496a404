package model

import (
	"fmt"
	"reflect"
	"unsafe"

	"fabricast/internal/units"
	"fabricast/routing"
)

// Doors are a user's additions to routers, links and NICs: hooks, an injector, agents, events and
// epochs of routing. A network with any of them is simulated by package switched, whatever the rest
// of its Spec requires.
//
// All functions must be deterministic. They must store all their state in the words of state that
// they are given, since blocks call them concurrently, and states are saved, sent and rolled back.
// Random numbers must be computed from a seed and a counter that is part of the state. Pointers
// passed to a function are valid until it returns.
type Doors struct {
	Hooks    *Hooks
	Injector *Injector
	Agent    *Agent
	Events   []Event // in any order; at most one per port and time
	// Retry: a packet that the end of a link has not received entirely when the link goes down is sent
	// again, a round trip on the link after it is up. Otherwise it arrives, as if the link drained. It
	// holds for the directions out of routers, and requires routers without output buffers.
	Retry bool
	// Timeout, if positive, is that of NICs whose packets links lose: a link loses each packet that starts
	// while it is down, or of which not all is at the other end when it goes down. Such a packet takes no
	// credit for the other end. The NIC sends it again, this time after the tail has left, doubled for each
	// time before, up to MostDoublings times. It gives a packet up that links have lost after the last event
	// and epoch, MostRepeats times in a row. With adaptive routing, packets take no port that is down but as
	// an escape (routing.Candidate.Escape), or if all their candidates are. It holds for the directions
	// from NICs, too, but no packet starts there while they are down, and those that stay down complete
	// their packet. It goes with neither Retry nor
	// agents. It limits the window length.
	Timeout units.Time
	// BitErrors is the rate of bit errors (2^-64 a bit) in the direction out of each port, by its global ID; nil:
	// none. A link that has damaged a packet sends it again, in order, a round trip on the link after its
	// tail, until it arrives (go-back-N). It requires routers without output buffers, and that fewer than
	// one bit of a packet is wrong in the mean.
	BitErrors []uint64
	Epochs    []Epoch // in ascending order of time
}

// MostDoublings is how often Doors.Timeout is doubled at most.
const MostDoublings = 7

// MostRepeats is how often a NIC repeats a packet that the links that stay down lose each time.
const MostRepeats = 7

// Hooks are functions called for each packet. They can use Meta, the bits of the packet's header
// reserved for doors.
type Hooks struct {
	Name string
	// Start is called when a packet starts through the crossbar toward an output, just before its
	// space there is taken. It may change the packet's Meta. May be nil.
	Start     func(*Start)
	PortState int // words of state per output port
	// Eject is called for each packet that reaches its destination NIC. It may send feedback. May
	// be nil.
	Eject     func(*Ejection)
	NICState  int // words of state per receiving NIC
	FlowState int // words of state per flow at its receiver
	// Delay is the time (ps) from a reply to its Injector.Feedback. If positive, it limits the
	// window length. If 0, replies are packets consisting of a header, which NICs send before all
	// others.
	Delay units.Time
}

// RouterView gives a hook read access to its router.
type RouterView interface {
	// Queue returns the number of flits that have started toward an output VC and, as far as is
	// known, have not left the buffer at the other end of its link. Adaptive routing sees the same
	// queue.
	Queue(port, vc uint16) int64
	// PortQueue returns the sum of Queue over the virtual channels of a port.
	PortQueue(port uint16) int64
	// Waiting returns the number of flits of the packets in an input buffer that have requested an
	// output and have not started. It includes packets that could have requested an output had they
	// been first in their queue.
	Waiting(port, vc uint16) int64
	// Toward returns the number of flits of the packets in the router's input buffers that will leave
	// through a port. It excludes those whose head has not been there for the delay to the first
	// request, and those that have started, so also the packet that starts. With adaptive routing, where outputs
	// are chosen late, it is 0 for ports that lead to other routers.
	Toward(port uint16) int64
}

// Start describes the start of a packet through the crossbar of a router.
type Start struct {
	Now             int64 // current time (ps)
	Router          int32
	InPort, OutPort uint16
	InVC, OutVC     uint16
	Flits           int64
	Message         *Message // read-only
	Control         bool     // whether it is a reply of Hooks.Eject
	Meta            uint64   // may be changed
	State           []uint64 // state of the output port
	RouterView
}

// Flow is the data that one end has about the packets from one NIC to another.
type Flow struct {
	Source, Destination int32    // NIC IDs
	NIC                 []uint64 // state of the NIC at this end
	State               []uint64 // state of the flow at this end
}

// Ejection describes a packet that has been written to the memory of its destination.
type Ejection struct {
	Flow
	Now     int64 // when all of it was in memory (ps)
	Flits   int64
	Bytes   int64 // payload
	Message *Message
	Meta    uint64
	Replies []Reply // replies to be sent, see Reply; emptied before the next call
}

// Reply sends a value to the injector of NIC `to`, `after` ps after the packet is in memory. The
// Delay of the hooks, if any, is added.
func (e *Ejection) Reply(to int32, value uint64, after int64) {
	e.Replies = append(e.Replies, Reply{To: to, Value: value, After: after})
}

// Reply is a value sent to the injector of a NIC.
type Reply struct {
	To    int32
	Value uint64
	After int64 // ps; not negative
}

// Injector decides when a NIC may send its next packet. A packet that has to wait also delays those
// behind it. Replies of hooks do not wait.
type Injector struct {
	Name      string
	NICState  int // words of state per sending NIC
	FlowState int // words of state per flow at its sender
	// Next returns the earliest time (ps) at which the flow's next packet may be sent, or Forever
	// if feedback must come first. It must depend only on the flow, its state and the packet's
	// size, and change nothing. Nil means any time.
	Next func(*Flow, *Departure) int64
	// Sent records that the packet is being sent, and may set its Meta, which is 0 initially. May
	// be nil.
	Sent func(*Flow, *Departure)
	// Feedback processes a value that another NIC has sent to this one. The flow is the one to that
	// NIC. May be nil.
	Feedback func(*Flow, *Feedback)
}

// Departure describes a packet that a NIC sends.
type Departure struct {
	Now     int64 // when its head leaves (ps); 0 for Next
	Flits   int64
	Bytes   int64 // payload
	Message *Message
	Meta    uint64
}

// Feedback describes a value received by an injector.
type Feedback struct {
	Now   int64  // current time (ps)
	Value uint64 // Value of the Reply
	Meta  uint64 // Meta of the packet that carried it; 0 if none did
}

// Agent is a part of routers that receives and sends packets through its own port. That port comes
// after the router's other ports. It has an input and an output like these, and its queue of
// packets to be sent is unbounded. It requires a deterministic routing function (Spec.Routing).
type Agent struct {
	Name    string
	Routers []int32    // routers that have an agent; nil: all
	Link    uint16     // link class whose rate its port has
	Delay   units.Time // time from a packet's tail to the call of Arrive (ps)
	State   int        // words of state per router
	// Takes reports whether the agent of a router receives a packet that arrives there over a link
	// or from a NIC. It must depend on its argument only.
	Takes func(*Passing) bool
	// Arrive processes a packet. Unless it consumes or holds the packet, the packet continues on
	// its route.
	Arrive func(*Taken)
}

// Passing describes a packet that is arriving at a router.
type Passing struct {
	Router  int32
	Flits   int64
	Message *Message
	Control bool
	Meta    uint64
}

// Taken describes a packet that is in the agent of a router.
type Taken struct {
	Passing
	Now    int64
	InPort uint16   // port through which it entered the router
	Header uint64   // its route header at this router
	State  []uint64 // state of the router's agent
	Fate   Fate     // what happens to the packet
	Handle uint64   // identifies the packet for Post; never 0
	Posts  []Post   // packets that the agent sends (see Post, Send); emptied before the next call
}

// Fate says what happens to a packet in an agent.
type Fate uint8

const (
	// Passed: it continues on its route at once.
	Passed Fate = iota
	// Held: it stays until the agent posts it.
	Held
	// Consumed: it is removed together with its message, which must consist of one packet.
	Consumed
)

// ByRoute is the Port of a Post that continues on its route.
const ByRoute = -1

// Post is a packet that an agent sends.
type Post struct {
	Handle  uint64  // of a packet that the agent holds; 0: a new packet
	Message Message // of a new packet, which carries all Size bytes, at most those of a full packet
	Header  uint64  // of a new packet: its route header at this router with ByRoute, otherwise at the next router
	Meta    uint64
	After   int64 // delay (ps), not negative
	Port    int32 // output port of the router, or ByRoute
	VC      uint16
}

// Forward posts a packet that the agent has held, on its route, with the given Meta.
func (t *Taken) Forward(handle, meta uint64) {
	t.Posts = append(t.Posts, Post{Handle: handle, Meta: meta, Port: ByRoute})
}

// Send posts a new packet through a port to the agent of the next router. That agent must accept
// it.
func (t *Taken) Send(m Message, meta uint64, port int32, vc uint16) {
	t.Posts = append(t.Posts, Post{Message: m, Meta: meta, Port: port, VC: vc})
}

// EventKind is the kind of a change to a port.
type EventKind uint8

const (
	// Down: no more packets start.
	Down EventKind = iota
	// Up: packets start again.
	Up
	// SetRate: packets that start from now on have a different rate.
	SetRate
)

// DownQueue is the number of flits added to the queue of each virtual channel of a port that is
// down, as seen by routing algorithms and hooks. Published queues do not include it.
const DownQueue int64 = 1 << 32

// Event changes a link between two routers, in both directions unless OneWay is set, or one
// direction of the link between a port and a NIC: to the NIC unless FromNIC is set.
type Event struct {
	At     units.Time
	Router int32
	Port   int32 // port of the router; AllPorts: all its ports, and those at the other ends
	Kind   EventKind
	Rate   units.Rate // bytes/s with SetRate; 0: the rate of its link class
	OneWay bool       // only the direction out of the router changes
	// FromNIC: only the direction from the NIC of the port to the router changes.
	FromNIC bool
}

// AllPorts is the Port of an event that applies to all ports of a router.
const AllPorts = -1

// Epoch is a routing function for the packets that leave their NICs from time At on. They use it
// until they arrive.
type Epoch struct {
	At      units.Time
	Routing routing.Function // must not be a routing.Randomized; nil with a Spec.Adaptive, which is a routing.Renewed
}

// Words returns the number of words of state that a value of type T takes. It panics if T contains
// pointers.
func Words[T any]() int {
	t := reflect.TypeFor[T]()
	if !plain(t) || t.Align() > 8 {
		panic(fmt.Sprintf("fabricast: %v holds pointers, and cannot be state", t))
	}
	return int(t.Size()+7) / 8
}

// plain reports whether a type contains no pointers.
func plain(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k == reflect.Array:
		return plain(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if !plain(t.Field(i).Type) {
				return false
			}
		}
		return true
	default:
		return k >= reflect.Bool && k <= reflect.Complex128 && k != reflect.Uintptr
	}
}

// StateIn returns words of state as a value of type T. There must be as many words as Words
// returns.
func StateIn[T any](words []uint64) *T {
	var t T
	_ = words[(unsafe.Sizeof(t)+7)/8-1]
	return (*T)(unsafe.Pointer(unsafe.SliceData(words)))
}

// HasAgents returns, for each of the given number of routers, whether it has an agent.
func (a *Agent) HasAgents(routers int) []bool {
	has := make([]bool, routers)
	for _, r := range a.Routers {
		has[r] = true
	}
	for r := range has {
		has[r] = has[r] || a.Routers == nil
	}
	return has
}

// LinkAfter returns the parameters of a link of the given class after the event.
func (e *Event) LinkAfter(links []Link, class uint16) Link {
	link := links[class]
	if e.Kind == SetRate && e.Rate > 0 {
		link.Bandwidth = e.Rate
	}
	return link
}
