package why

import (
	"fmt"

	"fabricast/internal/humanize"
)

// groups of causes, in the words of a sentence.
var groups = map[Cause]string{
	Compute: "computation", SendSoftware: "software of messages", ReceiveSoftware: "software of messages",
	Polling: "polling", Network: "messages in the network", Local: "messages within hosts",
	Request: "messages in the network", Data: "messages in the network", NICRead: "NICs that read messages",
	NICTurn: "NICs that read messages", Match: "messages in the network", OneSided: "one-sided operations",
	Noise: "noise", Start: "ranks that start late", Traffic: "traffic after the last rank",
	Unknown: "waits of unknown cause",
}

// group returns the group of a cause. Where messages are acknowledged, the NIC of the sender has a message until it has
// arrived.
func (p *Path) group(c Cause) string {
	if c == NICRead && p.acknowledged {
		return groups[Network]
	}
	return groups[c]
}

// sentence returns the answer to the question why the run takes its time.
func (p *Path) sentence() string {
	if p.Predicted == 0 {
		return "The run takes no time: its ranks do nothing that costs any."
	}
	var names []string
	times := map[string]int64{}
	for _, s := range p.Causes {
		name := p.group(s.Cause)
		if times[name] == 0 {
			names = append(names, name)
		}
		times[name] += s.Time
	}
	top := names[0]
	for _, name := range names {
		if times[name] > times[top] {
			top = name
		}
	}
	text := fmt.Sprintf("The run takes %s because of %s: %s of the critical path%s",
		humanize.Time(p.Predicted), top, percent(times[top], p.Predicted), p.mostly(top))
	second := ""
	for _, name := range names {
		if name != top && (second == "" || times[name] > times[second]) {
			second = name
		}
	}
	if second != "" {
		text += fmt.Sprintf(", before %s with %s", second, percent(times[second], p.Predicted))
	}
	return text + p.culprit(top) + "."
}

// culprit names where most of a group's time is spent.
func (p *Path) culprit(group string) string {
	most, rank := int64(0), int32(-1)
	by, messages := map[int32]int64{}, 0
	var longest *Segment
	for i := range p.Segments {
		s := &p.Segments[i]
		if p.group(s.Cause) != group {
			continue
		}
		if s.Message != nil {
			messages++
		}
		if longest == nil || s.Time > longest.Time {
			longest = s
		}
		if by[s.Rank] += s.Time; by[s.Rank] > most || by[s.Rank] == most && s.Rank < rank {
			most, rank = by[s.Rank], s.Rank
		}
	}
	switch {
	case longest == nil:
		return ""
	case longest.Cause.work() || longest.Cause == Start:
		text := fmt.Sprintf("; most of it, %s, on rank %d", humanize.Time(most), rank)
		if to := p.waiter(rank); to != nil {
			text += fmt.Sprintf(", for which rank %d waits%s", to.Message.Destination, within(to.Message))
		}
		return text
	case longest.Message != nil:
		m := longest.Message
		return fmt.Sprintf("; the path crosses it %s, for at most %s from rank %d to rank %d%s",
			times(messages), humanize.Time(longest.Time), m.Source, m.Destination, within(m))
	}
	return ""
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// within names the collective of a message.
func within(m *Message) string {
	if m.Collective == "" {
		return ""
	}
	return " in its " + m.Collective
}

// waiter returns the first message on the path that leaves a rank after its work.
func (p *Path) waiter(rank int32) *Segment {
	worked := false
	for i := range p.Segments {
		s := &p.Segments[i]
		worked = worked || s.Rank == rank && s.Cause.work() && s.Cause != SendSoftware
		if m := s.Message; worked && m != nil && m.Source == rank && s.Rank != rank {
			return s
		}
	}
	return nil
}

func percent(part, of int64) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(1, of)))
}
