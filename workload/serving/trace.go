package serving

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fabricast/internal/config"
	"fabricast/internal/units"
)

// Columns of a trace of arrivals: those of the Azure LLM inference traces of 2023 and 2024
// (github.com/Azure/AzurePublicDataset).
const (
	columnTime   = "TIMESTAMP"
	columnPrompt = "ContextTokens"
	columnOutput = "GeneratedTokens"
)

// mostSpan is the time from the first to the last request of a trace.
const mostSpan = int64(1_000_000 * units.Second)

// ParseArrivals parses a trace of arrivals: CSV with a line of titles. Times are dates and times of
// day, or seconds; they count from the first request.
func ParseArrivals(source *config.Source) ([]Request, config.Problems) {
	p := arrivalParser{source: source}
	rest := strings.TrimPrefix(source.Text, "\ufeff")
	for more := true; more && !p.problems.Enough(); {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		p.number++
		if p.split(strings.TrimSuffix(line, "\r")); strings.TrimSpace(line) == "" {
			continue
		}
		switch {
		case p.titles == nil:
			if !p.title() {
				return nil, p.problems.Problems()
			}
		default:
			p.request()
		}
	}
	switch {
	case p.problems.Count() > 0:
	case p.titles == nil:
		p.number = 1
		p.fail(-1, "titles", "none", strings.Join([]string{columnTime, columnPrompt, columnOutput}, ","))
	case len(p.list) == 0:
		p.fail(-1, "request", "none", "at least one below the titles")
	}
	return p.list, p.problems.Problems()
}

// arrivalParser parses the lines of a trace one by one.
type arrivalParser struct {
	source   *config.Source
	number   int // of the line, from 1
	fields   []string
	starts   []int // by field: where it starts in the line, in characters
	titles   []int // by column: the field that has it
	first    moment
	last     int64 // ps after first
	list     []Request
	problems config.First
}

// split splits a line into fields.
func (p *arrivalParser) split(line string) {
	p.fields, p.starts = p.fields[:0], p.starts[:0]
	at := 0
	for field := range strings.SplitSeq(line, ",") {
		p.fields, p.starts = append(p.fields, strings.TrimSpace(field)), append(p.starts, at)
		at += utf8.RuneCountInString(field) + 1
	}
}

// title finds the columns, and reports whether all are there.
func (p *arrivalParser) title() bool {
	for _, name := range []string{columnTime, columnPrompt, columnOutput} {
		i := slices.Index(p.fields, name)
		if i < 0 {
			p.fail(-1, "titles", strings.Join(p.fields, ","), "a column "+name)
		}
		p.titles = append(p.titles, i)
	}
	return p.problems.Count() == 0
}

// request parses a line below the titles.
func (p *arrivalParser) request() {
	if most := slices.Max(p.titles); most >= len(p.fields) {
		p.fail(-1, "request", strings.Join(p.fields, ","), fmt.Sprintf("at least %d fields, as the titles say", most+1))
		return
	}
	before := p.problems.Count()
	q := Request{At: p.time(), Prompt: p.tokens(1, columnPrompt), Output: p.tokens(2, columnOutput)}
	switch {
	case p.problems.Count() > before:
	case len(p.list) == mostRequests:
		p.fail(-1, "request", fmt.Sprintf("more than %d", mostRequests), fmt.Sprintf("at most %d", mostRequests))
	default:
		p.list = append(p.list, q)
	}
}

func (p *arrivalParser) tokens(column int, name string) int32 {
	text := p.fields[p.titles[column]]
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostTokens {
		p.fail(p.titles[column], name, text, fmt.Sprintf("a whole number of tokens from 1 to %d", mostTokens))
		return 0
	}
	return int32(n)
}

// moment is a time as a file says it: a date, or seconds.
type moment struct {
	date    time.Time
	seconds int64 // ps
	dated   bool
}

// time returns the time of a request, in ps after the first one.
func (p *arrivalParser) time() int64 {
	at := p.titles[0]
	text := p.fields[at]
	m, right := parseMoment(text)
	switch {
	case !right:
		p.fail(at, columnTime, text, "a time such as 2023-11-16 18:17:03.9799600, or seconds such as 3.25")
		return 0
	case len(p.list) == 0:
		p.first, p.last = m, 0
		return 0
	case m.dated != p.first.dated:
		p.fail(at, columnTime, text, "a time of the kind of the first one: all dates, or all seconds")
		return 0
	}
	since := m.seconds - p.first.seconds
	if m.dated {
		const ns = int64(units.Nanosecond)
		since = ns * max(-1, min(int64(m.date.Sub(p.first.date)), mostSpan/ns+1))
	}
	switch {
	case since < p.last:
		p.fail(at, columnTime, text, "a time that is not before that of the request above: they are in order")
		return 0
	case since > mostSpan:
		p.fail(at, columnTime, text, "at most "+units.Time(mostSpan).String()+" after the first request")
		return 0
	}
	p.last = since
	return since
}

// layouts are the forms of dates: those of the traces of 2023 and 2024, and that of RFC 3339.
var layouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", time.RFC3339}

// parseMoment parses a time. Seconds are from 0 to mostSpan.
func parseMoment(text string) (m moment, right bool) {
	for _, layout := range layouts {
		if date, err := time.Parse(layout, text); err == nil {
			return moment{date: date, dated: true}, true
		}
	}
	whole, fraction, _ := strings.Cut(text, ".")
	const places = 12
	if len(fraction) > places {
		fraction = fraction[:places]
	}
	n, err := strconv.ParseUint(whole, 10, 32)
	if err != nil || int64(n) > mostSpan/int64(units.Second) {
		return m, false
	}
	rest, err := strconv.ParseUint(fraction+strings.Repeat("0", places-len(fraction)), 10, 63)
	if err != nil {
		return m, false
	}
	return moment{seconds: int64(n)*int64(units.Second) + int64(rest)}, true
}

// fail reports a problem with a field of the line; -1: with the line.
func (p *arrivalParser) fail(field int, name, found, expected string) {
	if found == "" {
		found = "nothing"
	}
	at := config.Position{Source: p.source, Line: p.number, Column: 1}
	if field >= 0 {
		at.Column, at.Width = 1+p.starts[field], utf8.RuneCountInString(p.fields[field])
	}
	p.problems.Add(config.Problem{Position: at, Field: name, Found: found, Expected: expected})
}
