package run

import (
	"fabricast/fabric"
	"fabricast/node"
)

// events computes the number of simulated events from counters that the network and the ranks keep
// anyway, so it does not depend on how the engine groups events into windows. A packet counts for
// its injection, each crossbar grant on its way, and the end of its transfer to memory; a message
// for its send and its delivery; a rank for its beginning and its end, and one that executes tasks
// for each time that it looks at what has come: after a task, or after a set of tasks. No event is
// ever rolled back.
func events(t fabric.Totals, ranks *node.Stats) int64 {
	const grantAndTransfer, sendAndDelivery = 2, 2
	return int64(t.Packets+t.Hops+grantAndTransfer*t.Delivered) + sendAndDelivery*ranks.Messages +
		int64(ranks.Ranks+ranks.Finished) + ranks.Looks
}

// EventRate returns how many events were simulated per second of wall-clock time; 0 if that is
// unknown.
func (r *Result) EventRate() float64 {
	if r.Host.Wall <= 0 {
		return 0
	}
	return float64(r.Events) / r.Host.Wall
}
