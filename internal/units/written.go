package units

import (
	"regexp"
	"strings"
)

// pattern returns a regular expression, in the syntax of JSON Schema, for texts that parse accepts.
// It does not limit the value.
func (q *quantity) pattern() string {
	var symbols []string
	for _, u := range q.units {
		if u.symbol != plain {
			symbols = append(symbols, regexp.QuoteMeta(u.symbol))
		}
	}
	return `^([0-9]+(\.[0-9]+)? ?(` + strings.Join(symbols, "|") + `)|0+(\.0+)? ?)$`
}

// Written returns a regular expression for the text of a Time, and whether a number without a unit
// may be other than 0.
func (Time) Written() (pattern string, numbers bool) { return times.pattern(), false }

// Written is like Time.Written for a size.
func (Bytes) Written() (pattern string, numbers bool) { return sizes.pattern(), false }

// Written is like Time.Written for a rate.
func (Rate) Written() (pattern string, numbers bool) { return rates.pattern(), false }

// Written is like Time.Written for a share, which needs no unit.
func (Fraction) Written() (pattern string, numbers bool) { return `^[0-9]+(\.[0-9]+)? ?%?$`, true }

// Written is like Time.Written for a time or a percentage.
func (Span) Written() (pattern string, numbers bool) {
	return `^([0-9]+(\.[0-9]+)? ?%)$|` + times.pattern(), false
}
