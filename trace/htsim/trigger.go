package htsim

import (
	"fmt"
	"strconv"

	"fabricast/trace/flows"
)

// trigger reads a trigger: its id, its kind, and the count of a barrier.
func (m *matrix) trigger() error {
	var id, count int64
	kind := ""
	for words := m.Words[1:]; len(words) > 0; {
		word, value := words[0], ""
		if len(words) > 1 {
			value = words[1]
		}
		var err error
		used := 2
		switch word {
		case "id":
			id, err = m.Whole("id", value, 1, 1<<31-1)
		case "count":
			count, err = m.Whole("count", value, 0, flows.MaxFlows)
		case "oneshot", "multishot", "barrier":
			if used = 1; kind != "" {
				err = m.Fail("trigger", kind+" and "+word, "one kind")
			}
			kind = word
		default:
			err = m.Fail("trigger", strconv.Quote(word), "id, count, oneshot, multishot or barrier")
		}
		if err != nil {
			return err
		}
		words = words[min(used, len(words)):]
	}
	switch {
	case id == 0:
		return m.Fail("id", "nothing", "the id of the trigger")
	case kind == "":
		return m.Fail("trigger", "no kind", "oneshot, multishot or barrier")
	}
	m.found["Triggers"]++
	t := m.triggerOf(id)
	if t.kind != "" {
		return m.Fail("trigger", fmt.Sprintf("trigger %d a second time", id), "one line for each trigger")
	}
	t.kind, t.count = kind, count
	return nil
}

// resolve makes the flows of a trigger wait for what activates it.
func (m *matrix) resolve(id int64, t *trigger) error {
	m.Number = t.line
	activated := len(t.activators)
	fail := func(found, expected string) error {
		return m.Fail(fmt.Sprintf("trigger %d", id), found, expected)
	}
	switch {
	case t.kind == "":
		return fail("no line", "a line such as trigger id "+fmt.Sprint(id)+" oneshot")
	case len(t.starts) == 0:
		if activated > 0 {
			m.omit("trigger that starts no flow")
		}
	case activated == 0:
		return fail("nothing that activates it", "a flow with its id as send_done_trigger or recv_done_trigger")
	case t.kind == "oneshot" && activated > 1:
		return fail(fmt.Sprintf("%d flows that activate it", activated), "one for a oneshot trigger")
	case t.kind == "barrier" && int64(activated) != t.count:
		return fail(fmt.Sprintf("%d flows that activate it", activated), fmt.Sprintf("%d, its count", t.count))
	case t.kind == "multishot":
		return m.multishot(t)
	default:
		m.wait(t.starts, t.activators)
	}
	return nil
}

// multishot starts a flow at each activation. Which flow comes when is not known before a run, so
// that the flows and what starts them are paired in the order of the file.
func (m *matrix) multishot(t *trigger) error {
	for i, f := range t.starts {
		if i >= len(t.activators) {
			return m.Fail(
				"trigger", fmt.Sprintf("a multishot trigger with %d activations for %d flows", i, len(t.starts)),
				"an activation for each flow",
			)
		}
		if len(t.starts) > 1 {
			m.omit("order of the activations of a multishot trigger, which start its flows in the order of the file")
		}
		m.wait([]int32{f}, t.activators[i:i+1])
	}
	return nil
}

// wait makes flows wait for events.
func (m *matrix) wait(started []int32, events []flows.Event) {
	m.set.Triggers = append(m.set.Triggers, flows.Trigger{Events: events})
	for _, f := range started {
		m.set.Flows[f].Trigger = int32(len(m.set.Triggers))
	}
}

// failure reads the failure of a link. A trace has no network, so that it has no influence.
func (m *matrix) failure() error {
	kind := "switch"
	for words := m.Words[1:]; len(words) > 0; words = words[min(2, len(words)):] {
		word, value := words[0], ""
		if len(words) > 1 {
			value = words[1]
		}
		var err error
		switch word {
		case "switch_type":
			if kind = value; value != "TOR" && value != "AGG" && value != "CORE" {
				err = m.Fail(word, strconv.Quote(value), "TOR, AGG or CORE")
			}
		case "switch_id", "link_id":
			_, err = m.Whole(word, value, 0, 1<<31-1)
		default:
			err = m.Fail("failure", strconv.Quote(word), "switch_type, switch_id or link_id")
		}
		if err != nil {
			return err
		}
	}
	m.found["Failures"]++
	m.omit("failure of a link of a " + kind)
	return nil
}
