// Package observe counts and records what ranks do: sums over delivered messages and their hash,
// latencies, kinds of waiting time, logs and traces.
package observe
