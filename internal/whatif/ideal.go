package whatif

import (
	"fabricast/experiment"
	"fabricast/internal/predict"
	"fabricast/internal/units"
	"fabricast/internal/why"
)

// idealParameters lists the parameters of a model without routers that the experiment gives. It gives n
// pointers of its own to them.
func idealParameters(n *experiment.Network) (list []parameter) {
	p := &n.Parameters
	time := func(name, unit string, field **units.Time, software bool) {
		if *field != nil {
			own := **field
			*field = &own
			list = append(list, parameter{
				name: "network.parameters." + name, unit: unit, time: *field, software: software, class: -1,
			})
		}
	}
	bytes := func(name string, field **units.PerByte, software bool) {
		if *field != nil {
			own := **field
			*field = &own
			list = append(list, parameter{
				name: "network.parameters." + name, unit: unitBytes, perByte: *field, software: software, class: -1,
			})
		}
	}
	time("L", unitMessages, &p.L, false)
	time("alpha", unitMessages, &p.Alpha, false)
	time("o", unitCalls, &p.Overhead, true)
	bytes("G", &p.GapPerByte, true)
	bytes("beta", &p.Beta, false)
	bytes("O", &p.OverheadPerByte, true)
	return list
}

// ideal returns the network of a model without routers whose parameters are all known; nil if it is
// another.
func ideal(n *experiment.Network) *experiment.Network {
	p := &n.Parameters
	switch {
	case !n.Routerless() || p.L == nil && p.Alpha == nil || p.Alpha != nil && p.Beta == nil:
		return nil
	case n.LogGOPS() && (p.GapPerByte == nil || p.OverheadPerByte == nil):
		return nil
	}
	return n
}

// idealTime returns how long the message of a segment takes in a model without routers if it need not wait
// (ps). known is false if the segment is no single message.
func idealTime(n *experiment.Network, s *why.Segment) (time int64, known bool) {
	if n == nil || s.Message == nil {
		return 0, false
	}
	size := s.Message.Bytes
	switch s.Cause {
	case why.Network:
	case why.Request:
		size = 0
	default:
		return 0, false
	}
	latency := n.Parameters.L
	if latency == nil {
		latency = n.Parameters.Alpha
	}
	if n.LogGOPS() { // the receiver's processor handles the bytes
		return int64(*latency), true
	}
	return int64(*latency) + predict.RestOf(n)(size), true
}

// handling returns what a processor takes for the bytes of a message in LogGOPS (ps): for those that it
// sends, and for those that it receives.
func handling(n *experiment.Network, size units.Bytes) (sends, receives units.Time) {
	if n == nil || !n.LogGOPS() {
		return 0, 0
	}
	p, bytes := &n.Parameters, max(0, int64(size)-1)
	return units.Time(p.OverheadPerByte.Of(bytes)), units.Time(max(*p.OverheadPerByte, *p.GapPerByte).Of(bytes))
}
