// Package observe counts and records what ranks do: totals over delivered messages and their hash,
// latencies, causes of waiting time, logs and traces.
package observe
