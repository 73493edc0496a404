// Package switched simulates switches with virtual output queues, output buffers, adaptive routing, any
// arbiter or flow control, and separate allocation. It visits the routers of a block and takes packets
// from one stage to the next. Doors are its, too: hooks, injectors, agents and events.
package switched
