// Package prefetch asks the processor to load cache lines before they are needed.
package prefetch

// LineSize is the size of a cache line in bytes on most processors.
const LineSize = 64

// Most is the maximum number of addresses that can be passed to All.
const Most = 10
