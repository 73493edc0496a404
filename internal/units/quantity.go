package units

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// unit is a unit of a quantity, of num/den base units.
type unit struct {
	symbol   string
	num, den int64
	input    bool // can be read, but is never written
}

// quantity describes how values of one kind are written.
type quantity struct {
	expected string // for messages, such as "a time such as 100ns"
	base     string // the base unit in words, for messages
	units    []unit
	spelling map[string][]string // frequent wrong spellings of units, with what they may mean
	bare     string              // what is wrong with a number without a unit; "": that
}

// maxLength is the largest length of a written quantity. Values in longer texts do not fit in 64
// bits.
const maxLength = 64

// parse converts a written quantity to base units without rounding. It returns an error if that is
// not possible.
func (q *quantity) parse(text string) (int64, error) {
	digits, fraction, symbol, ok := split(text)
	switch {
	case strings.HasPrefix(text, "-"):
		return 0, q.fail(text, "it cannot be negative")
	case !ok:
		return 0, q.fail(text, "")
	case symbol == "" && strings.Trim(digits+fraction, "0") == "":
		return 0, nil
	case symbol == "":
		return 0, q.fail(text, cmp.Or(q.bare, "the unit is missing"))
	}
	u := q.unit(symbol)
	if u == nil {
		return 0, q.fail(text, didYouMean(q.suggest(text, symbol)))
	}
	return q.scale(text, digits, fraction, u)
}

// split splits a text into the digits before and after the decimal point and the unit.
func split(text string) (digits, fraction, symbol string, ok bool) {
	if len(text) > maxLength {
		return "", "", "", false
	}
	end := 0
	for end < len(text) && (isDigit(text[end]) || text[end] == '.') {
		end++
	}
	number, symbol := text[:end], strings.TrimPrefix(text[end:], " ")
	digits, fraction, point := strings.Cut(number, ".")
	ok = digits != "" && (!point || fraction != "") && !strings.Contains(fraction, ".")
	return digits, fraction, symbol, ok
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (q *quantity) unit(symbol string) *unit {
	for i := range q.units {
		if q.units[i].symbol == symbol {
			return &q.units[i]
		}
	}
	return nil
}

// scale computes digits.fraction * num / den. It returns an error if the result is not an integer.
func (q *quantity) scale(text, digits, fraction string, u *unit) (int64, error) {
	value, _ := new(big.Int).SetString(digits+fraction, 10)
	value.Mul(value, big.NewInt(u.num))
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(fraction))), nil)
	den.Mul(den, big.NewInt(u.den))
	rest := new(big.Int)
	value.QuoRem(value, den, rest)
	if rest.Sign() != 0 {
		return 0, q.fail(text, "it is not a whole number of "+q.base)
	}
	if !value.IsInt64() {
		return 0, q.fail(text, "it does not fit 64 bits")
	}
	return value.Int64(), nil
}

// suggest lists correct spellings that a wrong unit may stand for.
func (q *quantity) suggest(text, symbol string) []string {
	number := strings.TrimSuffix(text, symbol)
	meant := q.spelling[symbol]
	if len(meant) == 0 {
		for _, u := range q.units {
			if !u.input && strings.EqualFold(u.symbol, symbol) {
				meant = append(meant, u.symbol)
			}
		}
	}
	candidates := make([]string, len(meant))
	for i, m := range meant {
		candidates[i] = number + m
	}
	return candidates
}

func (q *quantity) fail(text, hint string) error {
	return &Error{Found: text, Expected: q.expected, Hint: hint}
}

// format returns the shortest exact text for v; of equally short ones that with the larger unit.
// parse returns v for it.
func (q *quantity) format(v int64) string {
	if v == 0 {
		return "0" + q.units[0].symbol
	}
	best := ""
	for _, u := range q.units {
		if u.input {
			continue
		}
		if s, ok := inUnit(v, u); ok && (best == "" || len(s) <= len(best)) {
			best = s
		}
	}
	return best
}

// signed is like format for values that a Go program may have made negative. Negative values can be
// written but not read.
func (q *quantity) signed(v int64) string {
	if v == math.MinInt64 {
		return "-" + strconv.FormatUint(1<<63, 10) + q.units[0].symbol
	}
	if v < 0 {
		return "-" + q.format(-v)
	}
	return q.format(v)
}

// inUnit formats v in a unit of whole base units, if the number is at least 1 and has at most three
// decimals.
func inUnit(v int64, u unit) (string, bool) {
	whole, rest := v/u.num, v%u.num
	if whole == 0 {
		return "", false
	}
	s := strconv.FormatInt(whole, 10)
	if rest == 0 {
		return s + u.symbol, true
	}
	if rest > math.MaxInt64/1000 || rest*1000%u.num != 0 {
		return "", false
	}
	thousandths := rest * 1000 / u.num
	decimals := string(
		[]byte{'.', digit(thousandths / 100), digit(thousandths / 10 % 10), digit(thousandths % 10)},
	)
	return s + strings.TrimRight(decimals, "0") + u.symbol, true
}

func digit(n int64) byte { return '0' + byte(n) }
