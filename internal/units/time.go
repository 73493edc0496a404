package units

// Time is a length or an instant of simulated time in picoseconds.
type Time int64

// Units of time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

var times = quantity{
	expected: "a time such as 100ns",
	base:     "picoseconds",
	units: []unit{
		{symbol: "ps", num: 1, den: 1},
		{symbol: "ns", num: int64(Nanosecond), den: 1},
		{symbol: "us", num: int64(Microsecond), den: 1},
		{symbol: "µs", num: int64(Microsecond), den: 1, input: true}, // the micro sign
		{symbol: "μs", num: int64(Microsecond), den: 1, input: true}, // the Greek letter
		{symbol: "ms", num: int64(Millisecond), den: 1},
		{symbol: "s", num: int64(Second), den: 1},
	},
	spelling: map[string][]string{
		"usec": {"us"}, "nsec": {"ns"}, "msec": {"ms"}, "sec": {"s"},
		"n": {"ns"}, "u": {"us"}, "m": {"ms"}, "p": {"ps"},
	},
}

// ParseTime parses a time such as 0.6ns. The error is an *Error.
func ParseTime(text string) (Time, error) {
	v, err := times.parse(text)
	return Time(v), err
}

// String formats the time exactly, in the form that ParseTime reads.
func (t Time) String() string { return times.signed(int64(t)) }

// MarshalYAML writes the value with its unit, as a person would.
func (t Time) MarshalYAML() (any, error) { return t.String(), nil }

// Set parses the value from text.
func (t *Time) Set(text string) (err error) {
	*t, err = ParseTime(text)
	return err
}
