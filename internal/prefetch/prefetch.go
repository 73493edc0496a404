// Package prefetch asks the processor to load cache lines ahead of their use.
package prefetch

// LineSize is the size of a cache line in bytes, on the processors that most use.
const LineSize = 64

// Most is the number of addresses that All takes.
const Most = 12
