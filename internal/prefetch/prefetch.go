// Package prefetch asks the processor to load cache lines ahead of their use.
package prefetch

// Most is the number of addresses that All takes.
const Most = 12
