package data

import "fabricast"

// congestionFigures adds what became of packets in a network that drops or pauses them, and what
// congestion control has done. Of a network that drops or pauses packets, what did not happen is left
// out, but for losses and pauses.
func congestionFigures(r *fabricast.Result, add func(what string, value any, unit, definition string)) {
	if c := r.CongestionControl; c != nil {
		add("packets marked", c.Marked, "packets", "By routers.")
		add("notifications of congestion", c.Notifications, "packets", "By which receivers told senders to send less.")
		add("time held back", c.Throttled, "ps", "For which control held back packets whose links were free, over all NICs.")
	}
	c := r.Congestion
	if c == nil {
		return
	}
	some := func(what string, n uint64, unit, definition string) {
		if n > 0 {
			add(what, n, unit, definition)
		}
	}
	some("packets marked", c.Marked, "packets", "By switches (ECN).")
	some("notifications of congestion", c.Notifications, "packets", "By which receivers told senders to send less.")
	some("packets trimmed", c.Trimmed, "packets", "Cut to their headers by switches with full queues.")
	add("packets dropped", c.Dropped, "packets", "With payload, by switches with full queues.")
	some("packets sent again by NICs", c.Again, "packets", "After they had been dropped, trimmed, damaged or late.")
	some("timeouts", c.Timeouts, "timeouts", "After which NICs sent packets again.")
	add("pauses", c.Pauses, "pauses", "Of links and NICs by switches with full buffers (PFC).")
	if c.Pauses > 0 {
		add("time paused", c.Paused, "ps", "Over all pauses that have ended.")
	}
}
