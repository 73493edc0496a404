// Package fabric simulates the network: routers, links, virtual channels,
// credits, and the NICs' way between memory and network. docs/model.md defines
// the model to the picosecond.
//
// # How it works
//
// The network is cut into blocks of consecutive routers. Simulated time is cut
// into windows no longer than the lookahead: the least time after which
// anything that a router does can matter to another router. So within a window each router is
// taken alone, in the order of their numbers, and blocks run in parallel
// without locks (package engine drives them). What crosses a block boundary
// goes into a mailbox that its receiver empties before the next window.
//
// There are no event objects. A packet is a 24-byte record in the FIFO of the buffer it occupies,
// and only the first packet of a FIFO does anything: each input FIFO has one timer, the next time
// at which its first packet may move. Each NIC and each host has one timer more, and a host whose
// NICs share an I/O bus three. A bitmap for each of the coming windows says which routers have
// timers in it, and one in each router's record which timers these are.
//
// Credits are pulled: a packet that has left stays in its FIFO, marked with the
// time at which its space is known upstream, until the upstream side needs credit and
// takes it. Only one packet at a time can wait for credit of a virtual channel
// (the channel's holder), so the exact wake-up time is known either when it
// begins to wait or at the departure that makes it possible.
//
// # Two models of routers
//
// Routers with input queues, served first come first served or in round robin, are simulated by package
// inputqueued. Switches with virtual output queues, output buffers, adaptive routing, other arbiters, a
// user's flow control, separate allocation, a turnaround of queues, injection by all virtual channels
// or doors are simulated by package switched. The two share all but the routers.
//
// # Rooms
//
// The parts of a block stand in packages of their own below this one, each of which knows only those
// below it. Package model declares what Specs, messages and endpoints are, and names.go names it here.
// docs/engine.md has a map of the rooms.
//
// # State
//
// What changes lives in flat, pointer-free arrays outside the Go heap, indexed
// by port, virtual channel or NIC; each element is written by one block only.
// core.Layout (what does not change) and core.State are separate types.
package fabric
