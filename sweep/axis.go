package sweep

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/internal/units"
)

// Axis is a list of values of one field, or of several fields that change together.
type Axis struct {
	// in tables and expressions; default: the last component of the field's path
	Name string `yaml:"name"`
	// path in the experiment, such as network.router.vcs
	Field  string                `yaml:"field"`
	Values []*fabricast.Fragment `yaml:"values"`
	// Instead of values: a range of quantities in one unit, with a constant step or factor.
	From   string `yaml:"from"`
	To     string `yaml:"to"`
	Step   string `yaml:"step"`
	Factor string `yaml:"factor"`
	// Instead of a field: cases, each of which sets several fields.
	Cases []Case `yaml:"cases"`
}

// Case is a value of an axis that sets several fields.
type Case struct {
	Label string                         `yaml:"label"`
	Set   map[string]*fabricast.Fragment `yaml:"set"`
	With  map[string]string              `yaml:"with"` // further names and values for expressions
}

// Limits of an axis: the number of values, and the size of a value in bits, because the powers of a
// factor can become arbitrarily long.
const (
	mostValues = 10_000
	mostDigits = 1 << 15
)

// resolve sets the default name and the values of a range. It returns the problems found.
func (a *Axis) resolve(path string) (problems config.Problems) {
	fail := func(field, found, expected string) {
		problems = append(
			problems,
			config.Problem{Field: path + "." + field, Found: found, Expected: expected},
		)
	}
	if a.Name == "" {
		a.Name = a.Field[strings.LastIndexByte(a.Field, '.')+1:]
	}
	ranged := a.From != "" || a.To != "" || a.Step != "" || a.Factor != ""
	switch {
	case a.Name == "":
		fail("field", "nothing", "the path of a field, or a name and cases")
	case !identifier(a.Name):
		fail("name", a.Name, "letters, digits and underscores")
	case len(a.Cases) > 0 && (a.Field != "" || a.Values != nil || ranged):
		fail("cases", "cases and a field", "one of them")
	case len(a.Cases) > 0:
		for i, c := range a.Cases {
			if c.Label == "" {
				fail(index("cases", i)+".label", "nothing", "a label")
			}
		}
	case a.Field == "":
		fail("field", "nothing", "the path of a field")
	case ranged == (a.Values != nil):
		fail(
			"values",
			"both or neither of values and a range",
			"values: [...], or from, to and step or factor",
		)
	case !ranged && len(a.Values) == 0:
		fail("values", "an empty list", "at least one value")
	case ranged:
		values, problem := a.spread()
		if problem != nil {
			fail(problem.Field, problem.Found, problem.Expected)
		}
		a.Values = values
	}
	if i := a.repeated(); i >= 0 && len(problems) == 0 {
		list := "values"
		if len(a.Cases) > 0 {
			list = "cases"
		}
		fail(index(list, i), a.values()[i].Label+" a second time", "each value once")
	}
	return problems
}

func identifier(name string) bool {
	for i, r := range name {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return name != ""
}

// spread returns the values of a range.
func (a *Axis) spread() ([]*config.Node, *config.Problem) {
	from, unit, ok := number(a.From)
	if !ok {
		return nil, &config.Problem{
			Field:    "from",
			Found:    said(a.From),
			Expected: "a number, with a unit if it needs one",
		}
	}
	to, toUnit, ok := number(a.To)
	if !ok || toUnit != unit {
		return nil, &config.Problem{
			Field:    "to",
			Found:    said(a.To),
			Expected: strings.TrimSpace("a number in the unit of from " + unit),
		}
	}
	step, stepUnit, ok := number(a.Step + a.Factor)
	add := a.Step != ""
	right := ok && (a.Step == "") != (a.Factor == "")
	if add {
		right = right && stepUnit == unit && step.Sign() > 0
	} else {
		right = right && stepUnit == "" && step.Cmp(big.NewRat(1, 1)) > 0 && from.Sign() > 0
	}
	if !right {
		field := "step"
		if a.Step == "" && a.Factor != "" {
			field = "factor"
		}
		return nil, &config.Problem{
			Field:    field,
			Found:    said(a.Step + a.Factor),
			Expected: "a step above 0 in the unit of from, or a factor above 1",
		}
	}
	if to.Cmp(from) < 0 {
		return nil, &config.Problem{Field: "to", Found: a.To, Expected: "at least " + a.From + ", as in from"}
	}
	var values []*config.Node
	for x := from; x.Cmp(to) <= 0; {
		if len(values) == mostValues {
			return nil, &config.Problem{
				Field:    "step",
				Found:    said(a.Step + a.Factor),
				Expected: fmt.Sprintf("at most %d values", mostValues),
			}
		}
		if digits := x.Num().BitLen() + x.Denom().BitLen(); digits > mostDigits {
			return nil, &config.Problem{
				Field:    "step",
				Found:    said(a.Step + a.Factor),
				Expected: "fewer values, or numbers of fewer digits",
			}
		}
		text := x.FloatString(9)
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + unit
		values = append(values, &config.Node{Kind: config.Scalar, Text: text})
		if add {
			x = new(big.Rat).Add(x, step)
		} else {
			x = new(big.Rat).Mul(x, step)
		}
	}
	return values, nil
}

func said(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// number splits a quantity into its number and its unit.
func number(text string) (value *big.Rat, unit string, ok bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '-' })
	if end < 0 {
		end = len(text)
	}
	value, ok = new(big.Rat).SetString(text[:end])
	return value, strings.TrimSpace(text[end:]), ok
}

// Value is the value of an axis at a point.
type Value struct {
	Label  string  // as shown in tables
	Number float64 // quantity in base units (ps, bytes, bytes/s); NaN if not a quantity
	set    map[string]*config.Node
	with   map[string]string
}

// values returns the values of the axis.
func (a *Axis) values() []Value {
	var list []Value
	for _, c := range a.Cases {
		list = append(list, Value{Label: c.Label, Number: math.NaN(), set: c.Set, with: c.With})
	}
	for _, n := range a.Values {
		text := n.Flow()
		list = append(
			list,
			Value{Label: text, Number: quantity(text), set: map[string]*config.Node{a.Field: n}},
		)
	}
	return list
}

// named reports whether a text such as 8KiB denotes value v, by the rules of expressions.
func named(v any, text string) bool {
	if number, ok := v.(float64); ok {
		return number == quantity(text)
	}
	return v == text
}

// has reports whether a text denotes a value of the axis.
func (a *Axis) has(text string) bool {
	return slices.ContainsFunc(a.values(), func(v Value) bool { return named(v.value(), text) })
}

// repeated returns the index of the first duplicate value; -1 if there is none.
func (a *Axis) repeated() int {
	seen := map[any]bool{}
	for i, v := range a.values() {
		if seen[v.value()] {
			return i
		}
		seen[v.value()] = true
	}
	return -1
}

// quantity parses a number or a quantity with a unit. It returns base units (ps, bytes, bytes/s),
// or NaN if the text is neither.
func quantity(text string) float64 {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	if v, err := units.ParseTime(text); err == nil {
		return float64(v)
	}
	if v, err := units.ParseBytes(text); err == nil {
		return float64(v)
	}
	if v, err := units.ParseRate(text); err == nil {
		return float64(v)
	}
	if v, err := units.ParseFraction(text); err == nil {
		return v.Float()
	}
	return math.NaN()
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
