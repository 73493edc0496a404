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
	causes.Window:          "the window of the transport",
	causes.Pause:           "links that are paused",
	causes.Repetition:      "packets that were lost and are sent again",
	causes.ReceiveWait:     "the receiving rank",
}

// mostly says what the messages of a group of causes spend most of their time on; "" if they spend none. All that
// they wait for others counts as one, in which the largest part is named.
func (p *Path) mostly(group string) string {
	var parts causes.Parts
	for i := range p.Segments {
		if s := &p.Segments[i]; p.group(s.Cause) == group && s.Parts != nil {
			parts.Add((*causes.Parts)(s.Parts))
		}
	}
	var longest, wait causes.Part
	waits := int64(0)
	for part := range causes.Count {
		switch {
		case part.Waits():
			waits += parts[part]
			if parts[part] > parts[wait] || !wait.Waits() {
				wait = part
			}
		case parts[part] > parts[longest] || longest.Waits():
			longest = part
		}
	}
	switch {
	case waits > parts[longest]:
		return fmt.Sprintf(", with %s waiting for others, most of it for %s%s",
			percent(waits, p.Predicted), spends[wait], p.root())
	case parts[longest] > 0 && spends[longest] != "":
		text := fmt.Sprintf(", with %s for %s", percent(parts[longest], p.Predicted), spends[longest])
		if waits >= p.Predicted/contendedFrom && waits > 0 {
			text += fmt.Sprintf(" and %s waiting for others%s", percent(waits, p.Predicted), p.root())
		}
		return text
	}
	return ""
}
