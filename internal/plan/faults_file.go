package plan

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

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
		l := faultLine{at, record, strings.Fields(record)}
		f, err := l.read()
		if err != nil {
			return nil, err
		}
		for _, p := range e.Faults.Problems(f) {
			return nil, l.refuse(strings.TrimPrefix(p.Field, "fault."), p.Found, p.Expected, p.Hint)
		}
		if len(outages) == experiment.MaxFaults {
			return nil, l.refuse("", "one more", fmt.Sprintf("at most %d faults", experiment.MaxFaults), "")
		}
		o, err := newOutage(t, f, l.refuse)
		if err != nil {
			return nil, err
		}
		outages = append(outages, o)
	}
	return outages, nil
}

// faultLine is a line of a file of faults.
type faultLine struct {
	at     config.Position
	record string   // what is written there
	words  []string // its words
}

// read reads the line.
func (l *faultLine) read() (*experiment.Fault, error) {
	f := new(experiment.Fault)
	if len(l.words) < 4 {
		return nil, l.wrongForm()
	}
	names := map[string]*string{"link": &f.Link, "switch": &f.Switch, "plane": &f.Plane, "nic": &f.NIC, "host": &f.Host}
	name := names[l.words[0]]
	if name == nil {
		return nil, l.wrongForm()
	}
	*name = l.words[1]
	if err := f.From.Set(l.words[2]); err != nil {
		return nil, l.misread("from", err)
	}
	for _, option := range l.words[4:] {
		name, value, _ := strings.Cut(option, "=")
		var err error
		switch name {
		case "rate":
			if err = f.Rate.Set(value); err == nil && f.Rate <= 0 {
				err = &units.Error{Expected: "a share above 0, below 1"}
			}
		case "announced":
			f.Announced = new(units.Time)
			err = f.Announced.Set(value)
		default:
			return nil, l.wrongForm()
		}
		if err != nil {
			return nil, l.misread(name, err)
		}
	}
	if l.words[3] == "-" {
		return f, nil
	}
	err := f.To.Set(l.words[3])
	if err == nil && f.To <= f.From {
		err = &units.Error{Expected: "a time after " + f.From.String()}
	}
	if err != nil {
		return nil, l.misread("to", err)
	}
	return f, nil
}

// wrongForm returns the error of a line that is none.
func (l *faultLine) wrongForm() error { return l.refuse("", l.record, faultForm, "") }

// misread returns the error of a word with a wrong quantity.
func (l *faultLine) misread(field string, err error) error {
	var u *units.Error
	if errors.As(err, &u) {
		return l.refuse(field, "", u.Expected, u.Hint)
	}
	return l.refuse(field, "", err.Error(), "")
}

// refuse makes an error for a field of the fault, named as in an experiment, at its word and with what is written
// there, or for the whole fault.
func (l *faultLine) refuse(field, found, expected, hint string) error {
	p := config.Problem{Position: l.at, Field: "fault", Found: found, Expected: expected, Hint: hint}
	if i := l.wordOf(field); i >= 0 {
		p.Field = "fault." + field
		p.Found = strings.TrimPrefix(l.words[i], field+"=")
		p.Position.Column, p.Position.Width = l.at.Column+l.offset(i), utf8.RuneCountInString(l.words[i])
	}
	return failure.NewConfigError(config.Problems{p})
}

// wordOf returns the number of the word of a field; -1 if it has none.
func (l *faultLine) wordOf(field string) int {
	for i, word := range l.words {
		switch {
		case i == 1 && field == l.words[0], i == 2 && field == "from", i == 3 && field == "to":
			return i
		case i > 3 && strings.HasPrefix(word, field+"="):
			return i
		}
	}
	return -1
}

// offset returns how many characters come before a word of the line.
func (l *faultLine) offset(word int) (runes int) {
	rest := l.record
	for i := range word + 1 {
		before, after, _ := strings.Cut(rest, l.words[i])
		runes += utf8.RuneCountInString(before)
		if rest = after; i < word {
			runes += utf8.RuneCountInString(l.words[i])
		}
	}
	return runes
}
