// Package difference finds the first event at which two runs differ, and what follows from it.
//
// Two runs are compared by what they record with record.causes: what each rank does, and when each
// message arrives. The tables are in the order of time, and the same for equal runs, byte by byte. So
// groups of rows are compared as they are stored up to the first that differs, which takes no longer than
// to read them; from there on rows are read side by side. The time of the earliest that differs is that of
// the first difference. From there on, messages are matched by their hosts and sizes, in the order of arrival.
package difference

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"fabricast/internal/causes"
	"fabricast/internal/humanize"
	"fabricast/record"
)

// Schema is the schema name and version of a Difference as JSON.
const Schema = "fabricast.difference/1"

// Difference is the first difference of two runs, the first and the second.
type Difference struct {
	Schema string `json:"schema"`
	What   string `json:"what"` // the answer in a sentence
	Equal  bool   `json:"equal"`
	At     int64  `json:"at_ps"` // time of the first event that differs; the end if the runs are equal
	// Events are the first ones that differ, by the time of the earlier one.
	Events    []Event  `json:"events"`
	Predicted [2]int64 `json:"predicted_ps"`

	from, to int64 // ps: when the first message that differs is in the network; 0 if there is none
	first    int64 // ps: when it arrives in the run in which it is earlier
}

// Event is something that happens in both runs, at different times or for different reasons, or in one of
// them only.
type Event struct {
	What string   `json:"what"`
	At   [2]int64 `json:"at_ps"` // in the two runs; Never where it does not happen
	// Parts says by how much (ps) the parts of a message's latency are longer in the second run.
	Parts map[string]int64 `json:"parts,omitempty"`
	Words string           `json:"words"`
}

// Never stands for the time of an event that does not happen in a run.
const Never = -1

const (
	mostEvents   = 12
	mostRanks    = 4 // whose steps are among the events
	mostMessages = 7
	// mostRows is the number of rows in which differences are looked for after the first one.
	mostRows = 1 << 16
)

// Find compares the runs in two result folders.
func Find(first, second *record.Reader) (*Difference, error) {
	d := &Difference{Schema: Schema, Equal: true, Events: []Event{}}
	for i, r := range []*record.Reader{first, second} {
		var err error
		if d.Predicted[i], err = predicted(r); err != nil {
			return nil, fmt.Errorf("the %s run %w", [2]string{"first", "second"}[i], err)
		}
	}
	for _, find := range []func(a, b *record.Reader) error{d.steps, d.messages} {
		if err := find(first, second); err != nil {
			return nil, err
		}
	}
	d.conclude()
	return d, nil
}

// predicted returns the predicted time (ps) of the run in a folder.
func predicted(r *record.Reader) (int64, error) {
	var of struct {
		State     string `json:"state"`
		Predicted int64  `json:"simulated_time_ps"`
	}
	if r.Result() == nil {
		return 0, errors.New("has left no result: it has not ended")
	}
	if err := json.Unmarshal(r.Result(), &of); err != nil {
		return 0, fmt.Errorf("has left a result that cannot be read: %w", err)
	}
	if of.State != "" {
		return 0, fmt.Errorf("was %s: what it has not come to cannot be compared", of.State)
	}
	return of.Predicted, nil
}

// conclude tells the answer by the first events.
func (d *Difference) conclude() {
	slices.SortStableFunc(d.Events, func(a, b Event) int { return cmp.Compare(a.earliest(), b.earliest()) })
	d.Events = d.Events[:min(len(d.Events), mostEvents)]
	d.At = max(d.Predicted[0], d.Predicted[1])
	if d.Equal = len(d.Events) == 0 && d.Predicted[0] == d.Predicted[1]; d.Equal {
		d.What = fmt.Sprintf("The runs do not differ: both take %s.", humanize.Time(d.At))
		return
	}
	if len(d.Events) > 0 {
		d.At = d.Events[0].earliest()
		d.What = fmt.Sprintf("The runs are equal until %s: %s.", humanize.Time(d.At), d.Events[0].Words)
	} else {
		d.What = "Ranks and messages do not differ."
	}
	switch by := d.Predicted[1] - d.Predicted[0]; {
	case by > 0:
		d.What += fmt.Sprintf(" In the end the second run takes %s longer.", humanize.Time(by))
	case by < 0:
		d.What += fmt.Sprintf(" In the end the second run takes %s less.", humanize.Time(-by))
	default:
		d.What += " In the end both take the same time."
	}
}

func (e *Event) earliest() int64 {
	switch {
	case e.At[0] == Never:
		return e.At[1]
	case e.At[1] == Never:
		return e.At[0]
	}
	return min(e.At[0], e.At[1])
}

// remainder is what tables of two runs hold from their first difference on.
type remainder[Row any] struct {
	rows  [2][]Row
	whole [2]bool // all rows up to the end of the table
}

// pair reads a table of two folders side by side. It returns the rows from the first difference on, up
// to mostRows of each.
func pair[Row comparable](first, second *record.Reader, table string) (rest remainder[Row], err error) {
	if !first.Has(table) || !second.Has(table) {
		return rest, nil
	}
	x, y, err := record.Different[Row](first, second, table)
	if err != nil {
		return rest, err
	}
	a, stopA := iter.Pull2(x)
	defer stopA()
	b, stopB := iter.Pull2(y)
	defer stopB()
	differs := false
	for {
		left, errA, okA := a()
		right, errB, okB := b()
		if err := errors.Join(errA, errB); err != nil || !okA && !okB {
			return rest, err
		}
		if differs = differs || okA != okB || left != right; !differs {
			continue
		}
		rest.take(0, left, okA)
		rest.take(1, right, okB)
		if len(rest.rows[0]) == mostRows && len(rest.rows[1]) == mostRows {
			return rest, nil
		}
	}
}

// take takes the next row of a run, if it has one.
func (r *remainder[Row]) take(run int, row Row, any bool) {
	switch {
	case !any:
		r.whole[run] = len(r.rows[run]) < mostRows
	case len(r.rows[run]) < mostRows:
		r.rows[run] = append(r.rows[run], row)
	}
}

// match pairs the rows of two runs that have the same key, in their order, and calls f for each pair. It
// calls f with nil for a row that the other run does not have, if all of that is known.
func match[Row any, Key comparable](rest *remainder[Row], key func(*Row) Key, f func(a, b *Row)) {
	others := map[Key][]*Row{}
	for i := range rest.rows[1] {
		k := key(&rest.rows[1][i])
		others[k] = append(others[k], &rest.rows[1][i])
	}
	for i := range rest.rows[0] {
		a := &rest.rows[0][i]
		switch k := key(a); {
		case len(others[k]) > 0:
			f(a, others[k][0])
			others[k] = others[k][1:]
		case rest.whole[1]:
			f(a, nil)
		}
	}
	if !rest.whole[0] {
		return
	}
	for i := range rest.rows[1] {
		b := &rest.rows[1][i]
		if left := others[key(b)]; len(left) > 0 && left[0] == b {
			f(nil, b)
			others[key(b)] = left[1:]
		}
	}
}

// only describes an event of one run, in which it happens at a time (ps): words lead up to that.
func only(run int, what, words string, at int64) Event {
	e := Event{What: what, At: [2]int64{Never, Never}}
	e.At[run] = at
	e.Words = fmt.Sprintf("%s %s, in the %s run only", words, humanize.Time(at), [2]string{"first", "second"}[run])
	return e
}

// onlyStep describes a step of one run.
func onlyStep(run int, s *record.Step) Event {
	rank := fmt.Sprintf("rank %d", s.Rank)
	return only(run, rank, rank+": "+doing(s)+" until", s.End)
}

// onlyMessage describes a message of one run.
func onlyMessage(run int, m *record.Division) Event {
	return only(run, messageName(m), "the "+messageName(m)+" arrives at", m.Delivery)
}

func messageName(m *record.Division) string {
	return fmt.Sprintf("message of %s from host %d to host %d", humanize.Size(m.Bytes), m.SourceHost, m.DestinationHost)
}

// steps adds the first step of each rank that differs.
func (d *Difference) steps(first, second *record.Reader) error {
	rest, err := pair[record.Step](first, second, record.StepsTable)
	if err != nil {
		return err
	}
	seen, list := map[int32]bool{}, []Event{}
	match(&rest, func(s *record.Step) int32 { return s.Rank }, func(a, b *record.Step) {
		switch {
		case b == nil && !seen[a.Rank]:
			seen[a.Rank] = true
			list = append(list, onlyStep(0, a))
		case a == nil && !seen[b.Rank]:
			seen[b.Rank] = true
			list = append(list, onlyStep(1, b))
		}
		if a == nil || b == nil || seen[a.Rank] || *a == *b {
			return
		}
		seen[a.Rank] = true
		e := Event{What: fmt.Sprintf("rank %d", a.Rank), At: [2]int64{a.End, b.End}}
		if a.State == b.State && a.Cause == b.Cause && a.Peer == b.Peer {
			e.Words = fmt.Sprintf("rank %d: %s until %s, in the second run until %s",
				a.Rank, doing(a), humanize.Time(a.End), humanize.Time(b.End))
		} else {
			e.Words = fmt.Sprintf("rank %d: %s until %s, in the second run %s until %s",
				a.Rank, doing(a), humanize.Time(a.End), doing(b), humanize.Time(b.End))
		}
		if a.End == b.End && a.Begin == b.Begin {
			e.Words = fmt.Sprintf("rank %d: %s, in the second run %s, for another message", a.Rank, doing(a), doing(b))
		}
		list = append(list, e)
	})
	d.add(list, mostRanks)
	return nil
}

// add adds the earliest events of a list.
func (d *Difference) add(list []Event, most int) {
	slices.SortStableFunc(list, func(a, b Event) int { return cmp.Compare(a.earliest(), b.earliest()) })
	d.Events = append(d.Events, list[:min(len(list), most)]...)
}

// doing describes a step.
func doing(s *record.Step) string {
	text := map[string]string{
		record.StateCompute: "computation", record.StateOverhead: "software", record.StateSend: "software of a send",
		record.StateReceiveWait: "wait for a message", record.StateWait: "wait",
	}[s.State]
	if s.Peer >= 0 {
		text += fmt.Sprintf(" (rank %d)", s.Peer)
	}
	return text
}

// flow names the messages between two hosts with one size.
type flow struct {
	source, destination int32
	bytes               int64
}

// messages adds the first messages that differ.
func (d *Difference) messages(first, second *record.Reader) error {
	rest, err := pair[record.Division](first, second, record.CausesTable)
	if err != nil {
		return err
	}
	list := []Event{}
	key := func(m *record.Division) flow { return flow{m.SourceHost, m.DestinationHost, m.Bytes} }
	match(&rest, key, func(a, b *record.Division) {
		e, from, to := messageEvent(a, b)
		if e == nil {
			return
		}
		if d.to == 0 || e.earliest() < d.first {
			d.from, d.to, d.first = from, to, e.earliest()
		}
		list = append(list, *e)
	})
	d.add(list, mostMessages)
	return nil
}

// messageEvent describes how a message differs in two runs, one of which may not have it; nil if it does
// not. from and to are the period (ps) in which it is in the network.
func messageEvent(a, b *record.Division) (e *Event, from, to int64) {
	switch {
	case a == nil:
		one := onlyMessage(1, b)
		return &one, b.Post, b.Delivery
	case b == nil:
		one := onlyMessage(0, a)
		return &one, a.Post, a.Delivery
	case *a == *b:
		return nil, 0, 0
	}
	e = &Event{What: messageName(a), At: [2]int64{a.Delivery, b.Delivery}, Parts: map[string]int64{}}
	e.Words = fmt.Sprintf("the %s arrives at %s, in the second run at %s%s",
		e.What, humanize.Time(a.Delivery), humanize.Time(b.Delivery), e.compare(a, b))
	return e, min(a.Post, b.Post), max(a.Delivery, b.Delivery)
}

// compare fills in the parts of two messages that differ, and names the one that differs most.
func (e *Event) compare(a, b *record.Division) string {
	left, right := a.Parts(), b.Parts()
	most := causes.Count
	for part := range causes.Count {
		by := right[part] - left[part]
		if by == 0 {
			continue
		}
		e.Parts[part.String()] = by
		if most == causes.Count || max(by, -by) > max(right[most]-left[most], left[most]-right[most]) {
			most = part
		}
	}
	switch {
	case most == causes.Count && a.Post != b.Post:
		return fmt.Sprintf(": it is sent at %s, and at %s", humanize.Time(a.Post), humanize.Time(b.Post))
	case most == causes.Count:
		return ""
	case right[most] > left[most]:
		return fmt.Sprintf(", with %s more of %s", humanize.Time(right[most]-left[most]), most)
	}
	return fmt.Sprintf(", with %s less of %s", humanize.Time(left[most]-right[most]), most)
}
