package why

import (
	"fmt"

	"fabricast/internal/causes"
)

// spends says in words what messages spend time on.
var spends = map[causes.Part]string{
	causes.Handshake:       "answers that they wait for",
	causes.SourceQueue:     "earlier messages of the node",
	causes.NICQueue:        "other messages of the NIC",
	causes.SendDMA:         "reading from the sender's memory (node.dma)",
	causes.Serialization:   "sending them at the bandwidth of links",
	causes.Pacing:          "pacing",
	causes.InjectionCredit: "room in the first router's buffer",
	causes.Wire:            "the latency of links",
	causes.Pipeline:        "the delay of routers",
	causes.Order:           "packets ahead in buffers",
	causes.Output:          "links that other packets use",
	causes.Crossbar:        "crossbars that other packets use",
	causes.Credit:          "room in the next router's buffer",
	causes.Ejection:        "the receiver's link, which other packets use",
	causes.ReceiveNIC:      "the receiver's NIC, which handles other packets",
	causes.ReceiveDMA:      "writing to the receiver's memory (node.dma)",
	causes.Overtaken:       "packets on longer routes",
	causes.ReceiveWait:     "the receiving rank",
}

// mostly says what the messages of the path spend most of their time on. All that they wait for others counts as
// one, in which the largest part is named.
func (p *Path) mostly() string {
	var longest, wait PartShare
	waits := int64(0)
	for _, s := range p.Parts {
		switch {
		case s.Waits && s.Time > wait.Time:
			wait = s
		case !s.Waits && s.Time > longest.Time:
			longest = s
		}
		if s.Waits {
			waits += s.Time
		}
	}
	switch {
	case waits > longest.Time:
		return fmt.Sprintf(", with %s waiting for others, most of it for %s", percent(waits, p.Predicted), wait.words())
	case longest.Time > 0:
		return fmt.Sprintf(", with %s for %s", percent(longest.Time, p.Predicted), longest.words())
	}
	return ""
}

// words says what the part is spent on.
func (s *PartShare) words() string {
	for part := range causes.Count {
		if part.String() == s.Part {
			return spends[part]
		}
	}
	return s.Part
}
