package htsim

import (
	"fmt"

	"fabricast/internal/humanize"
	"fabricast/trace"
	"fabricast/trace/flows"
)

// trigger reads a trigger: its id, its kind, and the count of a barrier.
func (m *matrix) trigger() error {
	var id, count int64
	kind := ""
	err := m.words(func(word, value string) (used int, err error) {
		switch word {
		case "id":
			id, err = m.Whole(word, value, 1, 1<<31-1)
		case "count":
			count, err = m.Whole(word, value, 0, flows.MaxFlows)
		case "oneshot", "multishot", "barrier":
			if kind != "" {
				return 0, m.Fail("trigger", kind+" and "+word, "one kind")
			}
			kind = word
			return 1, nil
		default:
			err = m.Fail("trigger", trace.Quoted(word), "id, count, oneshot, multishot or barrier")
		}
		return 2, err
	})
	if err != nil {
		return err
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
	const as = " with its id as send_done_trigger or recv_done_trigger"
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
		return fail("nothing that activates it", "a flow"+as)
	case t.kind == "oneshot" && activated > 1:
		return fail(humanize.Plural(activated, "flow")+as, "one for a oneshot trigger")
	case t.kind == "barrier" && int64(activated) != t.count:
		return fail(humanize.Plural(activated, "flow")+as, fmt.Sprintf("%d, its count", t.count))
	case t.kind == "multishot":
		return m.multishot(id, t)
	default:
		m.wait(id, t.starts, t.activators)
	}
	return nil
}

// multishot starts a flow at each activation. Which flow comes when is not known before a run, so
// that the flows and what starts them are paired in the order of the file.
func (m *matrix) multishot(id int64, t *trigger) error {
	for i, f := range t.starts {
		if i >= len(t.activators) {
			return m.Fail(
				fmt.Sprintf("trigger %d", id),
				fmt.Sprintf("a multishot trigger with %s for %d flows", humanize.Plural(i, "activation"),
					len(t.starts)),
				"an activation for each flow",
			)
		}
		if len(t.starts) > 1 {
			m.omit("order of the activations of a multishot trigger, which start its flows in the order of the file")
		}
		m.wait(id, []int32{f}, t.activators[i:i+1])
	}
	return nil
}

// wait makes flows wait for the events of the trigger with an id.
func (m *matrix) wait(id int64, started []int32, events []flows.Event) {
	m.ids = append(m.ids, id)
	m.set.Triggers = append(m.set.Triggers, flows.Trigger{Events: events})
	for _, f := range started {
		m.set.Flows[f].Trigger = int32(len(m.set.Triggers))
	}
}

// circle returns an error if triggers wait for flows of one another.
func (m *matrix) circle() error {
	circle := m.set.Circle()
	if len(circle) == 0 {
		return nil
	}
	const most = 8 // are listed
	list := ""
	for _, t := range circle[:min(len(circle), most)] {
		list += fmt.Sprint(m.ids[t], ", ")
	}
	if len(circle) > most {
		list += "..., "
	}
	first := m.ids[circle[0]]
	m.Number = m.triggers[first].line
	return m.Fail(
		fmt.Sprintf("trigger %d", first),
		fmt.Sprint("triggers that wait for flows of one another: ", list, first),
		"flows of which each can start",
	)
}

// failure reads the failure of a link. A trace has no network, so that it has no influence.
func (m *matrix) failure() error {
	kind := "switch"
	err := m.words(func(word, value string) (used int, err error) {
		switch word {
		case "switch_type":
			if kind = value; value != "TOR" && value != "AGG" && value != "CORE" {
				err = m.Fail(word, trace.Quoted(value), "TOR, AGG or CORE")
			}
		case "switch_id", "link_id":
			_, err = m.Whole(word, value, 0, 1<<31-1)
		default:
			err = m.Fail("failure", trace.Quoted(word), "switch_type, switch_id or link_id")
		}
		return 2, err
	})
	if err != nil {
		return err
	}
	m.found["Failures"]++
	m.omit("failure of a link of a " + kind)
	return nil
}
