package fabric

import (
	"fmt"
	"reflect"
	"unsafe"

	"fabricast/internal/units"
	"fabricast/routing"
)

// Doors are what a model adds to routers, links and NICs: hooks, an injector, agents, events and
// epochs of routing. A network that has any of them uses the switched router, whatever else its Spec
// asks for.
//
// All functions must be deterministic and keep what they remember in the words of state that they
// are given, since blocks call them in parallel, and states are saved, sent and rolled back.
// Random draws come from random numbers of a seed and a counter that is part of the state.
// What is passed to a function by pointer is valid until the function returns.
type Doors struct {
	Hooks    *Hooks
	Injector *Injector
	Agent    *Agent
	Events   []Event // in any order; at most one of each port at a time
	Epochs   []Epoch // in the order of their times
}

// Hooks are called for each packet, with the bits of its header that are the model's own.
type Hooks struct {
	Name string
	// Start is called when a packet starts through the crossbar toward an output, just before
	// its space there is taken. It may change the packet's Meta. nil: nothing.
	Start     func(*Start)
	PortState int // words of state of each output port
	// Eject is called for each packet that comes to its NIC. It may send feedback. nil: nothing.
	Eject     func(*Ejection)
	NICState  int // words of state of each receiving NIC
	FlowState int // words of state of each flow at its receiver
	// Delay is the time (ps) from a reply to its Injector.Feedback. It must be positive: windows are
	// not longer. With 0, replies are packets of a header, which NICs send before all others.
	Delay units.Time
}

// RouterView is what a hook may read of its router.
type RouterView interface {
	// Queue returns how many flits have started toward an output VC and have not left the buffer at the
	// other end of its link, as far as it is known: the queue that adaptive routing sees.
	Queue(port, vc uint16) int64
	// PortQueue returns the sum of Queue over the virtual channels of a port.
	PortQueue(port uint16) int64
	// Waiting returns the flits of the packets in an input buffer that have asked for an output
	// and have not started, or could have asked had they been the first.
	Waiting(port, vc uint16) int64
}

// Start is the start of a packet through the crossbar of a router.
type Start struct {
	Now             int64 // ps
	Router          int32
	InPort, OutPort uint16
	InVC, OutVC     uint16
	Flits           int64
	Message         *Message // must not be changed
	Control         bool     // it is a reply of Hooks.Eject
	Meta            uint64   // may be changed
	State           []uint64 // of the output port
	RouterView
}

// Flow is what an end knows of the packets from one NIC to another.
type Flow struct {
	Source, Destination int32    // NICs
	NIC                 []uint64 // state of the NIC at this end
	State               []uint64 // of the flow, at this end
}

// Ejection is a packet that is in the memory of its destination.
type Ejection struct {
	Flow
	Now     int64 // ps: when all of it is in memory
	Flits   int64
	Bytes   int64 // of payload
	Message *Message
	Meta    uint64
	Replies []Reply // see Reply; emptied before the next call
}

// Reply sends a value to the injector of a NIC, `after` ps after the packet is in memory, and the Delay
// of the hooks later if they have one.
func (e *Ejection) Reply(to int32, value uint64, after int64) {
	e.Replies = append(e.Replies, Reply{To: to, Value: value, After: after})
}

// Reply is a value for the injector of a NIC.
type Reply struct {
	To    int32
	Value uint64
	After int64 // ps, not negative
}

// Injector decides when a NIC may send its next packet. A packet for which its NIC has to wait also
// delays those behind it. Replies of hooks need not wait.
type Injector struct {
	Name      string
	NICState  int // words of state of each sending NIC
	FlowState int // words of state of each flow at its sender
	// Next returns the time (ps) from which the flow's next packet may be sent; Forever: not before
	// feedback has come. It depends on the flow, its state and the packet's size alone and changes
	// nothing. nil: at any time.
	Next func(*Flow, *Departure) int64
	// Sent records that the packet is sent now, and may set its Meta, which is 0. nil: nothing.
	Sent func(*Flow, *Departure)
	// Feedback takes in a value that another NIC has sent to this one. The flow is the one to that
	// NIC. nil: nothing.
	Feedback func(*Flow, *Feedback)
}

// Departure is a packet that its NIC sends.
type Departure struct {
	Now     int64 // ps: when its head leaves; 0 for Next
	Flits   int64
	Bytes   int64 // of payload
	Message *Message
	Meta    uint64
}

// Feedback is a value for an injector.
type Feedback struct {
	Now   int64  // ps
	Value uint64 // of Reply
	Meta  uint64 // of the packet that has brought it; 0 if none has
}

// Agent is a part of routers that takes packets in by a port of its own, and sends packets by it.
// That port comes after the router's others. It has an input and an output like these, and its
// queue of packets to be sent has no bound. It needs a routing function.
type Agent struct {
	Name    string
	Routers []int32    // that have one; nil: all
	Link    uint16     // class of links whose rate its port has
	Delay   units.Time // ps from a packet's tail to Arrive
	State   int        // words of state of each router
	// Takes reports whether the agent of a router takes in a packet that comes to it over a link or
	// from a NIC. It must depend on its argument alone.
	Takes func(*Passing) bool
	// Arrive takes in a packet. Unless it consumes or holds the packet, that goes on by its route.
	Arrive func(*Taken)
}

// Passing is a packet on its way to a router.
type Passing struct {
	Router  int32
	Flits   int64
	Message *Message
	Control bool
	Meta    uint64
}

// Taken is a packet that is in the agent of a router.
type Taken struct {
	Passing
	Now    int64
	InPort uint16   // by which it has come to the router
	State  []uint64 // of the router's agent
	Fate   Fate     // of the packet
	Handle uint64   // of the packet, for Post; never 0
	Posts  []Post   // what the agent sends; see Post, Send. Emptied before the next call
}

// Fate is what becomes of a packet in an agent.
type Fate uint8

const (
	// Passed: it goes on by its route at once.
	Passed Fate = iota
	// Held: it stays until the agent posts it.
	Held
	// Consumed: it is gone, and with it its message, which must have one packet.
	Consumed
)

// ByRoute is the Port of a Post that goes on by its route.
const ByRoute = -1

// Post is a packet that an agent sends.
type Post struct {
	Handle  uint64  // of a packet that it holds; 0: a new packet
	Message Message // of a new packet: its one packet carries all Size bytes, at most a full packet's
	Meta    uint64
	After   int64 // ps, not negative
	Port    int32 // of the router, or ByRoute
	VC      uint16
}

// Forward posts a packet that the agent has held, by its route, with other Meta.
func (t *Taken) Forward(handle, meta uint64) {
	t.Posts = append(t.Posts, Post{Handle: handle, Meta: meta, Port: ByRoute})
}

// Send posts a new packet by a port. Its message goes from m.Src to m.Dst, and beyond the next
// router by their route, if no agent takes it.
func (t *Taken) Send(m Message, meta uint64, port int32, vc uint16) {
	t.Posts = append(t.Posts, Post{Message: m, Meta: meta, Port: port, VC: vc})
}

// EventKind is what happens to a port.
type EventKind uint8

const (
	// Down: no packet starts any more.
	Down EventKind = iota
	// Up: packets start again.
	Up
	// SetRate: packets that start from now on have another rate.
	SetRate
)

// Event changes a link between two routers, in both directions, or what a port sends to a NIC.
type Event struct {
	At     units.Time
	Router int32
	Port   int32 // of the router; AllPorts: all, with the ports at the other ends
	Kind   EventKind
	Rate   units.Rate // with SetRate, bytes/s; 0: that of its class of links
}

// AllPorts is the Port of an event that concerns all ports of a router.
const AllPorts = -1

// Epoch is a routing function for the packets that leave their NICs from a time on. They keep to it.
type Epoch struct {
	At      units.Time
	Routing routing.Function // not a routing.Randomized
}

// Words returns how many words of state a value of type T takes. It panics if T has pointers.
func Words[T any]() int {
	t := reflect.TypeFor[T]()
	if !plain(t) || t.Align() > 8 {
		panic(fmt.Sprintf("fabricast: %v holds pointers, and cannot be state", t))
	}
	return int(t.Size()+7) / 8
}

// plain reports whether a type holds no pointers.
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

// StateIn returns words of state as a value of a type. There must be as many as Words says.
func StateIn[T any](words []uint64) *T {
	var t T
	_ = words[(unsafe.Sizeof(t)+7)/8-1]
	return (*T)(unsafe.Pointer(unsafe.SliceData(words)))
}

// hasAgents returns by router whether it has an agent.
func (a *Agent) hasAgents(routers int) []bool {
	has := make([]bool, routers)
	for _, r := range a.Routers {
		has[r] = true
	}
	for r := range has {
		has[r] = has[r] || a.Routers == nil
	}
	return has
}
