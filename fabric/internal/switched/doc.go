// Package switched simulates switches with virtual output queues, output buffers, adaptive routing,
// any arbiter or flow control, and separate allocation. It activates the routers of a block and
// moves packets from one stage to the next. It also implements doors: hooks, injectors, agents and
// events.
package switched
