package plan

import (
	"strings"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/internal/units"
)

// lifetime is a line of a file of random faults: how long a link is in service, and then in repair.
type lifetime struct {
	service, repair units.Time // repair 0: faults.random.repair has the mean
}

// readOutages reads the file from which times of random faults are drawn. It returns nil if the experiment
// names none.
func readOutages(e *experiment.Resolved) ([]lifetime, error) {
	r := &e.Faults.Random
	if r.File == "" {
		return nil, nil
	}
	text, err := input.Text(r.File, input.Outages)
	if err != nil {
		return nil, e.Unread("faults.random.file", err)
	}
	table, problems := lifetimes(&config.Source{Name: r.File, Text: text}, r.Repair != 0)
	return table, failure.NewConfigError(problems)
}

// lifetimes parses times in service, one a line, with the time to repair behind each unless its mean is
// known. # begins a comment.
func lifetimes(source *config.Source, repairKnown bool) (table []lifetime, _ config.Problems) {
	var problems config.First
	for at, record := range records(source) {
		l, expected := lifetimeOf(strings.Fields(record), repairKnown)
		if expected != "" {
			problems.Add(config.Problem{Position: at, Field: "times", Found: record, Expected: expected})
		}
		table = append(table, l)
	}
	if len(table) == 0 {
		problems.Add(config.Problem{
			Position: config.Position{Source: source, Line: 1, Column: 1, Width: 1},
			Field:    "times", Found: "none", Expected: "lines with the time of a link in service",
		})
	}
	return table, problems.Problems()
}

// lifetimeOf reads the words of a line. expected says what is wrong with them; "": nothing.
func lifetimeOf(words []string, repairKnown bool) (l lifetime, expected string) {
	if repairKnown && len(words) != 1 {
		return l, "one time, in service, as faults.random.repair has the mean time to repair"
	}
	if !repairKnown && len(words) != 2 {
		return l, "two times, in service and to repair, such as '40ms 2ms', or a faults.random.repair"
	}
	if l.service.Set(words[0]) != nil || l.service < units.Nanosecond {
		return l, "a time in service such as 40ms, at least 1ns"
	}
	if repairKnown {
		return l, ""
	}
	if l.repair.Set(words[1]) != nil {
		return l, "a time to repair such as 2ms"
	}
	if limits, ok := experiment.IsRepairTime(l.repair); !ok {
		return l, "a time to repair " + limits
	}
	return l, ""
}
