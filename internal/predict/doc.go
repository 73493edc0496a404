// Package predict computes what can be known about a plan before it runs: the latency of an idle
// network in closed form (ZeroLoad), the load at which the busiest link is saturated (Capacity),
// the routes of packets, the properties of the network (Survey), and warnings about settings that
// may distort a result (Notes).
package predict
