package deadlock

import (
	"fmt"
	"strings"

	"fabricast/internal/humanize"
	"fabricast/topology"
)

// CycleError reports that packets could wait for each other in a cycle.
type CycleError struct {
	Algorithm string
	VCs       int
	// Cycle lists channels each of which depends on the next, and the last on the first.
	// Dependencies of escape channels may be indirect.
	Cycle  []Channel
	Escape bool // all channels are escape channels
	Need   int  // VCs per port that avoid it; 0: unknown
	Tried  int  // largest number of VCs per port that was tried; 0: none
}

func (e *CycleError) Error() string {
	return fmt.Sprintf("with %s and %s, packets could wait for one another for ever: %s; %s",
		e.Algorithm, e.Channels(), e.Path(nil), e.Advice())
}

// Channels returns the number of VCs in words.
func (e *CycleError) Channels() string { return humanize.Plural(e.VCs, "virtual channel") }

// Path formats the cycle with the names of routers and ports, or with their numbers if t is nil.
func (e *CycleError) Path(t topology.Topology) string { return circle(t, e.Cycle) }

// circle formats a cycle of channels as a path that ends where it begins.
func circle(t topology.Topology, channels []Channel) string {
	const most = 12
	var b strings.Builder
	for i, c := range channels {
		if i == most {
			fmt.Fprintf(&b, "... %d more ... -> ", len(channels)-most)
			break
		}
		b.WriteString(place(t, c) + " -> ")
	}
	return b.String() + place(t, channels[0])
}

// place formats a channel: "router (1,0) port +x VC 0".
func place(t topology.Topology, c Channel) string {
	if t == nil {
		return fmt.Sprintf("router %d port %d VC %d", c.Router, c.Port, c.VC)
	}
	return fmt.Sprintf(
		"router %s port %s VC %d",
		t.RouterName(int(c.Router)), t.PortName(int(c.Router), int(c.Port)), c.VC,
	)
}

// Advice says how many VCs would avoid the cycle.
func (e *CycleError) Advice() string {
	switch {
	case e.Need > 0:
		return humanize.Plural(e.Need, "virtual channel") + " would avoid it"
	case e.Tried > 0:
		return fmt.Sprintf("up to %d virtual channels do not avoid it", e.Tried)
	default:
		return "another assignment of virtual channels might avoid it"
	}
}

// EscapeError reports that packets may have to wait where no escape channel is offered.
type EscapeError struct {
	Algorithm string
	Router    int32
}

func (e *EscapeError) Error() string {
	return fmt.Sprintf("%s offers no escape channel to some packets at router %d", e.Algorithm, e.Router)
}

// RouteError reports that a route does not lead to its destination.
type RouteError struct {
	Algorithm string
	Router    int32
	NIC       int32 // of the destination; Unconnected if not known
	Problem   string
	// Round lists the channels of a loop that packets never leave; nil for other problems.
	Round []Channel
}

func (e *RouteError) Error() string { return e.Describe(nil) }

// Describe formats the error with the names of routers and ports, or with their numbers if t is
// nil.
func (e *RouteError) Describe(t topology.Topology) string {
	at, to := fmt.Sprintf("router %d", e.Router), ""
	if t != nil {
		at = "router " + t.RouterName(int(e.Router))
	}
	if e.NIC != topology.Unconnected {
		to = fmt.Sprintf(" for packets to NIC %d", e.NIC)
	}
	text := fmt.Sprintf("routing fails at %s%s: %s", at, to, e.Problem)
	if e.Round != nil {
		text += ": " + circle(t, e.Round)
	}
	return text
}
