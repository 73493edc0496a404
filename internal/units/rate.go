package units

import "strings"

// Rate is a bandwidth in bytes/s.
type Rate int64

// Units of bandwidth.
const (
	BytePerSecond Rate = 1
	KBPerSecond        = 1000 * BytePerSecond
	MBPerSecond        = 1000 * KBPerSecond
	GBPerSecond        = 1000 * MBPerSecond
	TBPerSecond        = 1000 * GBPerSecond
)

// rates describes bandwidths in every unit of size per second: GB/s and GBps, Gb/s and Gbps.
var rates = quantity{
	expected: "a rate such as 8GB/s",
	base:     "bytes per second",
	units:    rateUnits(),
	spelling: rateSpelling(),
}

func rateUnits() []unit {
	var list []unit
	for _, u := range sizes.units {
		list = append(list, unit{symbol: u.symbol + "/s", num: u.num, den: u.den, input: u.input})
	}
	for _, u := range sizes.units {
		list = append(list, unit{symbol: u.symbol + "ps", num: u.num, den: u.den, input: true})
	}
	return list
}

// rateSpelling derives frequent wrong spellings of rates from those of sizes. A size without "per
// second" is also a wrong spelling of a rate.
func rateSpelling() map[string][]string {
	wrong := map[string][]string{}
	for _, u := range sizes.units {
		wrong[u.symbol] = []string{u.symbol + "/s"}
		for _, suffix := range []string{"/sec", "/S", "PS", "Ps"} {
			wrong[u.symbol+suffix] = []string{u.symbol + "/s"}
		}
	}
	for symbol, meant := range sizes.spelling {
		wrong[symbol+"/s"] = perSecond(meant)
		wrong[symbol+"ps"] = perSecond(meant)
	}
	// In lower case bit and byte cannot be distinguished, so both are offered.
	for _, prefix := range []string{"k", "M", "G", "T"} {
		both := perSecond([]string{prefix + "B", prefix + "b"})
		lower := strings.ToLower(prefix) + "b"
		for _, symbol := range []string{lower, strings.ToUpper(lower)} {
			for _, suffix := range []string{"/s", "ps", "/S", "PS"} {
				if symbol+suffix != prefix+"b/s" && symbol+suffix != prefix+"bps" {
					wrong[symbol+suffix] = both
				}
			}
		}
	}
	return wrong
}

func perSecond(symbols []string) []string {
	list := make([]string, len(symbols))
	for i, s := range symbols {
		list[i] = s + "/s"
	}
	return list
}

// ParseRate parses a rate such as 8GB/s or 64Gb/s. The error is an *Error.
func ParseRate(text string) (Rate, error) {
	v, err := rates.parse(text)
	return Rate(v), err
}

// String formats the rate exactly, in the form that ParseRate reads.
func (r Rate) String() string { return rates.signed(int64(r)) }

// MarshalYAML writes the value with its unit, as a person would.
func (r Rate) MarshalYAML() (any, error) { return r.String(), nil }

// Set parses the value from text.
func (r *Rate) Set(text string) (err error) {
	*r, err = ParseRate(text)
	return err
}
