// Package fabric simulates the network: routers, links, virtual channels, credits, and the data
// paths of the NICs between memory and network. docs/model.md defines the model to the picosecond.
//
// # How it works
//
// The network is partitioned into blocks of consecutive routers. Simulated time is divided into
// windows no longer than the lookahead: the minimum time after which an action of a router can
// affect another router. Within a window, therefore, each router is simulated alone, in the order
// of router IDs, and blocks run in parallel without locks (package engine drives them). Data that
// crosses a block border goes into a mailbox, which the receiving block empties before the next
// window.
//
// There are no event objects. A packet is a 24-byte record in the FIFO of the buffer it occupies.
// Only the first packet of a FIFO can act, so each input FIFO has one timer: the next time at which
// its first packet may move. Each NIC and each host has one more timer, and a host whose NICs share
// an I/O bus has three. A bitmap for each of the coming windows says which routers have timers in
// that window, and a bitmap in each router's record says which timers these are.
//
// Credits are pulled: a packet that has left stays in its FIFO, marked with the time at which its
// space becomes known upstream, until the upstream side needs credit and takes it. Only one packet
// at a time can wait for credit of a virtual channel (the channel's holder). Its exact wake-up time
// is therefore known either when it starts to wait or at the departure that frees the space.
//
// # Two models of routers
//
// Package inputqueued (the fast path) simulates routers with input queues that are served in FCFS
// or round-robin order. Package switched (the general path) simulates switches with virtual output
// queues, output buffers, adaptive routing, other arbiters, user-defined flow control, separate
// allocation, a turnaround time of queues, injection by all virtual channels, or doors
// (user-defined extensions). The two packages share everything but the routers.
//
// # Packages
//
// The parts of a block are in separate packages below this one. Each imports only those below it.
// Package model declares Specs, messages and endpoints, and names.go declares aliases for them
// here. docs/engine.md has a map of the packages.
//
// # State
//
// Mutable state is stored in flat, pointer-free arrays outside the Go heap, indexed by port,
// virtual channel or NIC. Each element is written by one block only. Immutable data (core.Layout)
// and mutable state (core.State) are separate types.
package fabric
