package producttest

import (
	"fmt"
	"maps"
	"slices"

	"fabricast"
	"fabricast/experiment"
	"fabricast/fabric/model"
	"fabricast/internal/causes"
	"fabricast/internal/holders"
	"fabricast/internal/plan"
	"fabricast/internal/why"
	"fabricast/record"
)

// Explained checks that all time of a run is explained by what it recorded in a folder with
// record.causes and record.messages: the parts of each message's latency, the steps of each rank and
// the critical path sum to the picosecond, and each wait for another message is charged to one that passed
// the link in question, or waited for it, before the wait ended.
func Explained(e *fabricast.Experiment, result *fabricast.Result, folder string) error {
	r, err := record.Open(folder)
	if err != nil {
		return err
	}
	if err := checkDivisions(e, r); err != nil {
		return err
	}
	if result.Ranks == 0 {
		return nil
	}
	if err := checkSteps(r); err != nil {
		return err
	}
	return checkPath(result, r, e.Network.Model == experiment.ModelLogGOPS)
}

// checkDivisions checks that the parts of each message's latency sum to it, and that waits sum to their
// parts.
func checkDivisions(e *fabricast.Experiment, r *record.Reader) error {
	if !r.Has(record.CausesTable) {
		return nil // models in which messages do not meet divide nothing
	}
	deliveries := map[int64][]int64{}
	for m, err := range record.Rows[record.Message](r, record.MessagesTable) {
		if err != nil {
			return err
		}
		deliveries[m.Message] = append(deliveries[m.Message], m.Delivery)
	}
	divisions, waits := map[int64]record.Division{}, map[int64]int64{}
	for d, err := range record.Rows[record.Division](r, record.CausesTable) {
		if err != nil {
			return err
		}
		parts := d.Parts()
		if parts.Sum() != d.Delivery-d.Post || slices.Min(parts[:]) < 0 {
			return fmt.Errorf("message %d takes %d ps, divided into %v", d.Message, d.Delivery-d.Post, parts)
		}
		if of := deliveries[d.Message]; of != nil && !slices.Contains(of, d.Delivery) {
			return fmt.Errorf("message %d arrives at %v ps, divided is one that arrives at %d ps", d.Message, of, d.Delivery)
		}
		divisions[d.Message] = d
		for part := causes.FirstOfNetwork; part <= causes.LastOfNetwork; part++ {
			if part.Waits() && part != causes.Overtaken {
				waits[d.Message] += parts[part]
			}
		}
	}
	if !r.Has(record.WaitsTable) {
		return nil
	}
	passed, err := passages(e, r)
	if err != nil {
		return err
	}
	return checkHolders(r, passed, divisions, waits)
}

// checkHolders checks whom the waits of messages are charged to, and the sums of waits and matrices. left are
// the waits of the messages' parts.
func checkHolders(
	r *record.Reader, passed map[passage]int64, divisions map[int64]record.Division, left map[int64]int64,
) error {
	whole := int64(0)
	for w, err := range record.Rows[record.Wait](r, record.WaitsTable) {
		if err != nil {
			return err
		}
		left[w.Message] -= w.Wait
		whole += w.Wait
		ready, known := passed[passage{w.Holder, w.HolderLink}]
		switch d, ended := divisions[w.Message]; {
		case w.Wait <= 0:
			return fmt.Errorf("a wait that takes no time: %+v", w)
		case !known:
			return fmt.Errorf("a holder that is never at the link: %+v", w)
		case ended && ready >= d.Delivery:
			return fmt.Errorf("a holder that comes at %d ps, after the message's end at %d ps: %+v", ready, d.Delivery, w)
		}
	}
	for message, rest := range left {
		if _, ended := divisions[message]; ended && rest != 0 {
			return fmt.Errorf("the waits of message %d differ by %d ps from those of its parts", message, rest)
		}
	}
	return checkMatrices(r, whole)
}

// passage is the way of a message over a link.
type passage struct {
	message int64
	link    int32
}

// passages returns when the first packet of each message could have begun to pass each link (ps).
func passages(e *fabricast.Experiment, r *record.Reader) (map[passage]int64, error) {
	network := experiment.Experiment(*e)
	network.Imbalance, network.Noise = experiment.Imbalance{}, experiment.Noise{} // may need a run first
	resolved, err := experiment.ResolveNetwork(network)
	if err != nil {
		return nil, err
	}
	p, err := plan.Build(resolved.KeepingReports())
	if err != nil {
		return nil, err
	}
	links := holders.Links(&p.Fabric)
	after := slices.Max(links) + 1
	passed := map[passage]int64{}
	seen := func(at passage, ready int64) {
		if before, known := passed[at]; !known || ready < before {
			passed[at] = ready
		}
	}
	for h, err := range record.Rows[record.Hop](r, record.HopsTable) {
		if err != nil {
			return nil, err
		}
		if model.Reason(h.Reason) == model.LinkDown { // it is what others wait for
			link := after + h.Port
			if h.OutPort >= 0 {
				link = links[h.OutPort]
			}
			seen(passage{0, link}, h.Start)
		}
		at := passage{message: h.Message}
		switch stage := model.Stage(h.Stage); {
		case stage == model.Lost && h.Ready < h.Start: // it waited for the link, until another took its place
			at.link = links[h.OutPort]
		case e.Network.Ethernet() && stage != model.Injected && stage != model.Linked:
			continue // no packet passes a link
		case stage == model.Injected:
			at.link = after + h.OutPort
		case stage == model.Received:
			at.link = links[p.Fabric.Graph.NICPort[h.Port]]
		default:
			at.link = links[h.OutPort]
		}
		seen(at, h.Ready)
	}
	return passed, nil
}

// checkMatrices checks that each matrix sums to all waits.
func checkMatrices(r *record.Reader, whole int64) error {
	sums := map[string]int64{}
	for b, err := range record.Rows[record.Blame](r, record.BlameTable) {
		if err != nil {
			return err
		}
		sums[b.Matrix] += b.Wait
	}
	for _, matrix := range slices.Sorted(maps.Keys(sums)) {
		if sums[matrix] != whole {
			return fmt.Errorf("the matrix %s sums to %d ps, all waits to %d ps", matrix, sums[matrix], whole)
		}
	}
	return nil
}

// checkPath checks the critical path of a run. turns: messages take turns
// on processors, so the path may meet a message later than it arrives.
func checkPath(result *fabricast.Result, r *record.Reader, turns bool) error {
	p, err := why.Find(r)
	if err != nil {
		return err
	}
	if p.Sum != p.Predicted || p.Predicted != int64(result.SimulatedTime) {
		return fmt.Errorf("the path takes %d ps, the run %d ps", p.Sum, result.SimulatedTime)
	}
	delivered := map[int64][]record.Message{}
	for m, err := range record.Rows[record.Message](r, record.MessagesTable) {
		if err != nil {
			return err
		}
		delivered[m.Message] = append(delivered[m.Message], m)
	}
	at := int64(0)
	for _, s := range p.Segments {
		if s.Begin != at || s.End <= at || s.Cause == why.Unknown {
			return fmt.Errorf("a segment with cause %s of rank %d from %d to %d ps, after one that ends at %d ps",
				s.Cause, s.Rank, s.Begin, s.End, at)
		}
		at = s.End
		if err := checkParts(r, &s); err != nil {
			return err
		}
		if s.Cause != why.Network {
			continue
		}
		if !arrives(delivered[s.Message.Number], &s, turns) {
			return fmt.Errorf("no message %+v arrives at %d ps", *s.Message, s.End)
		}
	}
	return nil
}

// checkParts checks that what messages do in the network is divided.
func checkParts(r *record.Reader, s *why.Segment) error {
	if s.Message == nil || s.Message.Number == 0 || !r.Has(record.CausesTable) {
		return nil
	}
	switch s.Cause {
	case why.Network, why.Request, why.Data, why.OneSided, why.NICRead:
	default:
		return nil
	}
	if s.Parts == nil {
		return fmt.Errorf("a segment with cause %s is not divided: message %+v", s.Cause, *s.Message)
	}
	parts := causes.Parts(*s.Parts)
	if parts.Sum() != s.Time || slices.Min(parts[:]) < 0 {
		return fmt.Errorf("a segment of %d ps with cause %s is divided into %v", s.Time, s.Cause, parts)
	}
	return nil
}

// arrives reports whether one of the messages ends a segment.
func arrives(messages []record.Message, s *why.Segment, turns bool) bool {
	for i := range messages {
		m := &messages[i]
		if m.Source == s.Message.Source && m.Destination == s.Message.Destination &&
			(m.Delivery == s.End || turns || m.Delivery < s.End) {
			return true
		}
	}
	return false
}

// checkSteps checks that the steps of each rank follow one another, and sum to what the rank counts.
func checkSteps(r *record.Reader) error {
	ends, waits, others := map[int32]int64{}, map[int32]int64{}, map[int32]int64{}
	for s, err := range record.Rows[record.Step](r, record.StepsTable) {
		if err != nil {
			return err
		}
		if before, known := ends[s.Rank]; known && s.Begin != before || s.End <= s.Begin {
			return fmt.Errorf("rank %d: a step from %d to %d ps after %d ps", s.Rank, s.Begin, s.End, before)
		}
		ends[s.Rank] = s.End
		if s.State == record.StateWait || s.State == record.StateReceiveWait {
			waits[s.Rank] += s.End - s.Begin
		} else {
			others[s.Rank] += s.End - s.Begin
		}
	}
	for rank, err := range record.Rows[record.Rank](r, record.RanksTable) {
		if err != nil {
			return err
		}
		if end, known := ends[rank.Rank]; known && end != rank.End {
			return fmt.Errorf("rank %d ends at %d ps, its steps at %d ps", rank.Rank, rank.End, end)
		}
		if waits[rank.Rank] != rank.Wait || others[rank.Rank] > rank.Compute+rank.Overhead {
			return fmt.Errorf("rank %d waits %d ps, in its steps %d ps", rank.Rank, rank.Wait, waits[rank.Rank])
		}
	}
	return nil
}
