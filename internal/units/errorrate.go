package units

// ErrorRate is the probability that a bit is received wrongly, in units of 10^-18.
type ErrorRate int64

// errorRates describes probabilities as decimal numbers with an exponent.
var errorRates = quantity{
	expected: "the probability that a bit is wrong, such as 1e-12",
	base:     "1e-18",
	bare:     "it is written with an exponent, from e-18 to e-3",
	units: []unit{
		{symbol: "e-18", num: 1, den: 1},
		{symbol: "e-17", num: 1e1, den: 1},
		{symbol: "e-16", num: 1e2, den: 1},
		{symbol: "e-15", num: 1e3, den: 1},
		{symbol: "e-14", num: 1e4, den: 1},
		{symbol: "e-13", num: 1e5, den: 1},
		{symbol: "e-12", num: 1e6, den: 1},
		{symbol: "e-11", num: 1e7, den: 1},
		{symbol: "e-10", num: 1e8, den: 1},
		{symbol: "e-9", num: 1e9, den: 1},
		{symbol: "e-8", num: 1e10, den: 1},
		{symbol: "e-7", num: 1e11, den: 1},
		{symbol: "e-6", num: 1e12, den: 1},
		{symbol: "e-5", num: 1e13, den: 1},
		{symbol: "e-4", num: 1e14, den: 1},
		{symbol: "e-3", num: 1e15, den: 1},
	},
}

// ParseErrorRate parses a probability such as 1e-12. The error is an *Error.
func ParseErrorRate(text string) (ErrorRate, error) {
	v, err := errorRates.parse(text)
	return ErrorRate(v), err
}

// String formats the probability exactly, in the form that ParseErrorRate reads.
func (r ErrorRate) String() string { return errorRates.format(int64(r)) }

// Set parses the value from text.
func (r *ErrorRate) Set(text string) (err error) {
	*r, err = ParseErrorRate(text)
	return err
}

// MarshalYAML writes the value as text.
func (r ErrorRate) MarshalYAML() (any, error) { return r.String(), nil }

// Binary returns the probability in units of 2^-64, rounded down. It must be below 1.
func (r ErrorRate) Binary() uint64 {
	const one = 1_000_000_000_000_000_000
	return uint64(MulDiv(int64(r), 1<<62, one)) << 2
}

// Written is like Time.Written for a probability, which YAML reads as a number.
func (ErrorRate) Written() (pattern string, numbers bool) { return errorRates.pattern(), true }
