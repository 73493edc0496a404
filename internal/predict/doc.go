// Package predict computes what can be known about a plan without running it: the latency of an
// idle network in closed form (ZeroLoad), the load at which the busiest link is full (Capacity),
// the routes of packets, the properties of the network (Survey), and warnings about what may make a
// result doubtful (Notes).
package predict
