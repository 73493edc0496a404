package units

import "strings"

// Span is a length of time, or a share of another length of time. At most one of the two is set.
type Span struct {
	Share Fraction
	Time  Time
}

// ParseSpan parses a time such as 5us, or a percentage such as 4%. The error is an *Error.
func ParseSpan(text string) (Span, error) {
	if strings.HasSuffix(text, "%") {
		share, err := ParseFraction(text)
		return Span{Share: share}, widen(err)
	}
	time, err := ParseTime(text)
	return Span{Time: time}, widen(err)
}

// widen makes an error mention both forms.
func widen(err error) error {
	if e, ok := err.(*Error); ok {
		e.Expected = "a time such as 5us or a share such as 4%"
	}
	return err
}

// String formats the span exactly, in the form that ParseSpan reads.
func (s Span) String() string {
	if s.Share != 0 {
		return decimal(int64(s.Share), int64(Percent)) + "%"
	}
	return s.Time.String()
}

// MarshalYAML writes the value with its unit, as a person would.
func (s Span) MarshalYAML() (any, error) { return s.String(), nil }

// Set parses the value from text.
func (s *Span) Set(text string) (err error) {
	*s, err = ParseSpan(text)
	return err
}
