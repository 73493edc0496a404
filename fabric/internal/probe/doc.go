// Package probe reports what links, buffers and packets do. Its observer reads the state of routers and
// NICs, and writes only those fields that are reserved for it.
package probe
