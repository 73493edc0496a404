package plan

import (
	"fmt"
	"strings"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/internal/units"
	"fabricast/topology"
)

// faultForm is the form of a line of a file of faults.
const faultForm = "link, switch, plane, nic or host, its name, when it fails, and when it is up again or -, such as 'link 3-17 10us 50us'; " +
	"then rate=25% or announced=5us if need be"

// readFaults reads the file of faults, one a line. # begins a comment.
func readFaults(e *experiment.Resolved, t topology.Topology) ([]Outage, error) {
	text, err := input.Text(e.Faults.File, input.Faults)
	if err != nil {
		return nil, e.Unread("faults.file", err)
	}
	var outages []Outage
	for at, record := range records(&config.Source{Name: e.Faults.File, Text: text}) {
		refuse := func(_, found, expected, hint string) error {
			return failure.NewConfigError(config.Problems{
				{Position: at, Field: "fault", Found: found, Expected: expected, Hint: hint},
			})
		}
		f, wrong := faultOf(strings.Fields(record))
		if wrong != nil {
			return nil, refuse("", wrong.found, wrong.expected, "")
		}
		for _, p := range e.Faults.Problems(f) {
			return nil, refuse("", p.Found, p.Expected, "")
		}
		if len(outages) == experiment.MaxFaults {
			return nil, refuse("", "one more", fmt.Sprintf("at most %d faults", experiment.MaxFaults), "")
		}
		o, err := newOutage(t, f, refuse)
		if err != nil {
			return nil, err
		}
		outages = append(outages, o)
	}
	return outages, nil
}

// misread is a mistake in a line of a file.
type misread struct{ found, expected string }

// faultOf reads the words of a line.
func faultOf(words []string) (*experiment.Fault, *misread) {
	f := new(experiment.Fault)
	whole := &misread{strings.Join(words, " "), faultForm}
	if len(words) < 4 {
		return nil, whole
	}
	switch words[0] {
	case "link":
		f.Link = words[1]
	case "switch":
		f.Switch = words[1]
	case "plane":
		f.Plane = words[1]
	case "nic":
		f.NIC = words[1]
	case "host":
		f.Host = words[1]
	default:
		return nil, whole
	}
	if f.From.Set(words[2]) != nil || words[3] != "-" && f.To.Set(words[3]) != nil {
		return nil, whole
	}
	for _, option := range words[4:] {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "rate":
			if f.Rate.Set(value) != nil || f.Rate <= 0 {
				return nil, &misread{option, "rate= and a share above 0, below 1"}
			}
		case "announced":
			f.Announced = new(units.Time)
			if f.Announced.Set(value) != nil {
				return nil, &misread{option, "announced= and a time up to that of the fault"}
			}
		default:
			return nil, whole
		}
	}
	if words[3] != "-" && f.To <= f.From {
		return nil, &misread{words[3], "a time after " + f.From.String()}
	}
	return f, nil
}
