// Package difference finds the first event at which two runs differ, and what follows from it.
//
// Two runs are compared by what they record with record.causes: what each rank does, and when each
// message arrives. The tables are in the order of time, and the same for equal runs. So they are read
// side by side up to the first row that differs; the time of the earliest is that of the first
// difference. From there on, messages are matched by their hosts and sizes, in the order of arrival.
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

// Event is something that happens in both runs, at different times or for different reasons.
type Event struct {
	What string   `json:"what"`
	At   [2]int64 `json:"at_ps"` // in the two runs
	// Parts says by how much (ps) the parts of a message's latency are longer in the second run.
	Parts map[string]int64 `json:"parts,omitempty"`
	Words string           `json:"words"`
}

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
		var of struct {
			Predicted int64 `json:"simulated_time_ps"`
		}
		if r.Result() == nil {
			return nil, errors.New("one of the folders holds no result of a run that has ended")
		}
		if err := json.Unmarshal(r.Result(), &of); err != nil {
			return nil, err
		}
		d.Predicted[i] = of.Predicted
	}
	for _, find := range []func(a, b *record.Reader) error{d.steps, d.messages} {
		if err := find(first, second); err != nil {
			return nil, err
		}
	}
	d.conclude()
	return d, nil
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
	return min(e.At[0], e.At[1])
}

// pair reads a table of two folders side by side. It returns the rows from the first difference on, up
// to mostRows of each.
func pair[Row comparable](first, second *record.Reader, table string) (rest [2][]Row, err error) {
	if !first.Has(table) || !second.Has(table) {
		return rest, nil
	}
	a, stopA := iter.Pull2(record.Rows[Row](first, table))
	defer stopA()
	b, stopB := iter.Pull2(record.Rows[Row](second, table))
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
		if okA && len(rest[0]) < mostRows {
			rest[0] = append(rest[0], left)
		}
		if okB && len(rest[1]) < mostRows {
			rest[1] = append(rest[1], right)
		}
		if len(rest[0]) == mostRows && len(rest[1]) == mostRows {
			return rest, nil
		}
	}
}

// match pairs the rows of two runs that have the same key, in their order, and calls f for each pair.
func match[Row any, Key comparable](rest [2][]Row, key func(*Row) Key, f func(a, b *Row)) {
	others, next := map[Key][]*Row{}, map[Key]int{}
	for i := range rest[1] {
		k := key(&rest[1][i])
		others[k] = append(others[k], &rest[1][i])
	}
	for i := range rest[0] {
		k := key(&rest[0][i])
		if n := next[k]; n < len(others[k]) {
			f(&rest[0][i], others[k][n])
			next[k]++
		}
	}
}

// steps adds the first step of each rank that differs.
func (d *Difference) steps(first, second *record.Reader) error {
	rest, err := pair[record.Step](first, second, record.StepsTable)
	if err != nil {
		return err
	}
	seen, list := map[int32]bool{}, []Event{}
	match(rest, func(s *record.Step) int32 { return s.Rank }, func(a, b *record.Step) {
		if seen[a.Rank] || *a == *b {
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
	match(rest, key, func(a, b *record.Division) {
		if *a == *b {
			return
		}
		e := Event{
			What: fmt.Sprintf("message of %s from host %d to host %d", humanize.Size(a.Bytes), a.SourceHost, a.DestinationHost),
			At:   [2]int64{a.Delivery, b.Delivery}, Parts: map[string]int64{},
		}
		e.Words = fmt.Sprintf("the %s arrives at %s, in the second run at %s%s",
			e.What, humanize.Time(a.Delivery), humanize.Time(b.Delivery), e.compare(a, b))
		if d.to == 0 || e.earliest() < d.first {
			d.from, d.to, d.first = min(a.Post, b.Post), max(a.Delivery, b.Delivery), e.earliest()
		}
		list = append(list, e)
	})
	d.add(list, mostMessages)
	return nil
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
