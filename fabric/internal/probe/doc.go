// Package probe observes links, buffers and packets. Its observer reads the state of routers and
// NICs, and writes only fields that are reserved for it.
package probe
