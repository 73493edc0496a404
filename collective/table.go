package collective

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
)

// Table tells which algorithm a collective runs on how many ranks, for which size. It is a list of
// rules: of those for a collective, the first one counts whose conditions hold and whose algorithm runs on that number of
// ranks with that operation. Without such a rule it is the collective's default. A Table is immutable.
type Table struct{ rules map[Kind][]rule }

// Call is what a rule may depend on.
type Call struct {
	Ranks int
	// Bytes of the whole buffer in a broadcast, reduce or allreduce; of a block, that each pair
	// or rank has for itself, in others.
	Bytes int64
	// Ordered says that a reduction's operation is not commutative.
	Ordered bool
	// Site is the place of the call in the program's source, as in solver.c:120; empty if unknown.
	Site string
}

// rule is a line of a table.
type rule struct {
	info       *Info
	ranks      span
	bytes      span
	total      span // bytes times ranks
	powerOfTwo bool
	site       string
}

// span is a range of numbers, with both ends.
type span struct{ low, high int64 }

var everything = span{math.MinInt64, math.MaxInt64}

func (s span) has(n int64) bool { return s.low <= n && n <= s.high }

// The tables that have names.
var (
	//go:embed tables/default.txt
	defaultTable string
	//go:embed tables/mpich.txt
	mpichTable string
	//go:embed tables/openmpi.txt
	openmpiTable string

	named = map[string]string{"default": defaultTable, "mpich": mpichTable, "openmpi": openmpiTable}
)

// TableNames lists the tables that have names.
func TableNames() []string { return []string{"default", "mpich", "openmpi"} }

// NamedTable returns a table by its name, nil if there is none.
func NamedTable(name string) *Table {
	text, found := named[name]
	if !found {
		return nil
	}
	t, err := ReadTable(name, strings.NewReader(text))
	if err != nil {
		panic(err) // they are part of the program
	}
	return t
}

// ReadTable reads a table from text (docs/collectives.md); name stands for it in messages.
// Its error is of type config.Problems.
func ReadTable(name string, r io.Reader) (*Table, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Table{rules: map[Kind][]rule{}}
	source := &config.Source{Name: name, Text: string(all)}
	var problems config.Problems
	for i, line := range strings.Split(source.Text, "\n") {
		text, _, _ := strings.Cut(line, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if err := t.add(words); err != nil {
			at := config.Position{Source: source, Line: i + 1, Column: 1, Width: len([]rune(line))}
			problems = append(problems, config.Problem{Position: at, Found: err.found, Expected: err.expected, Hint: err.hint})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return t, nil
}

// wrong is what is wrong with a line.
type wrong struct{ found, expected, hint string }

// add takes the words of a line: a collective, an algorithm and conditions.
func (t *Table) add(words []string) *wrong {
	kind := Kind(words[0])
	if lookup(kind) == nil {
		return &wrong{words[0], "a collective: " + join(Kinds()), config.DidYouMean(words[0], strings.Split(join(Kinds()), ", "))}
	}
	if len(words) == 1 {
		return &wrong{"no algorithm", "one of " + strings.Join(Names(kind), ", "), ""}
	}
	r := rule{info: infoOf(kind, Algorithm(words[1])), ranks: everything, bytes: everything, total: everything}
	if r.info == nil {
		return &wrong{words[1], "an algorithm: one of " + strings.Join(Names(kind), ", "), config.DidYouMean(words[1], Names(kind))}
	}
	for _, word := range words[2:] {
		if err := r.condition(word); err != nil {
			return err
		}
	}
	t.rules[kind] = append(t.rules[kind], r)
	return nil
}

// infoOf describes an algorithm of a collective, nil if there is none.
func infoOf(kind Kind, a Algorithm) *Info {
	for _, info := range Algorithms(kind) {
		if info.Name == a {
			return &info
		}
	}
	return nil
}

const conditions = "a condition: power-of-two, site=FILE:LINE, or ranks, bytes or total with <, <=, =, >= or > and a number, as in bytes<=2KiB"

// condition adds what a word demands.
func (r *rule) condition(word string) *wrong {
	if word == "power-of-two" {
		r.powerOfTwo = true
		return nil
	}
	i := strings.IndexAny(word, "<=>")
	if i < 0 {
		return &wrong{word, conditions, ""}
	}
	name, operator := word[:i], word[i:i+1]
	if strings.HasPrefix(word[i+1:], "=") && operator != "=" {
		operator += "="
	}
	value := word[i+len(operator):]
	if name == "site" && operator == "=" && strings.Contains(value, ":") {
		r.site = value
		return nil
	}
	of := map[string]*span{"ranks": &r.ranks, "bytes": &r.bytes, "total": &r.total}[name]
	n, err := number(name, value)
	if of == nil || err != nil {
		return &wrong{word, conditions, ""}
	}
	of.narrow(operator, n)
	return nil
}

// number reads a number of ranks, or of bytes.
func number(name, text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil || name == "ranks" {
		return n, err
	}
	n, err := units.ParseBytes(text)
	return int64(n), err
}

// narrow leaves only the numbers for which a comparison with n holds.
func (s *span) narrow(operator string, n int64) {
	switch operator {
	case "<":
		s.high = min(s.high, n-1)
	case "<=":
		s.high = min(s.high, n)
	case "=":
		s.low, s.high = max(s.low, n), min(s.high, n)
	case ">=":
		s.low = max(s.low, n)
	case ">":
		s.low = max(s.low, n+1)
	}
}

// Before returns a table that has one algorithm of a collective wherever that can run, and is otherwise as t.
func (t *Table) Before(kind Kind, a Algorithm) (*Table, error) {
	if err := Check(kind, a, 1); err != nil {
		return nil, err
	}
	made := &Table{rules: map[Kind][]rule{}}
	for k, rules := range t.rules {
		made.rules[k] = rules
	}
	first := rule{info: infoOf(kind, a), ranks: everything, bytes: everything, total: everything}
	made.rules[kind] = append([]rule{first}, t.rules[kind]...)
	return made, nil
}

// Sites tells whether any rule depends on the place of a call.
func (t *Table) Sites() bool {
	for _, rules := range t.rules {
		for i := range rules {
			if rules[i].site != "" {
				return true
			}
		}
	}
	return false
}

// Choose returns the algorithm of a collective.
func (t *Table) Choose(kind Kind, c Call) Algorithm {
	rules := t.rules[kind]
	for i := range rules {
		if rules[i].fits(&c) {
			return rules[i].info.Name
		}
	}
	return Default
}

func (r *rule) fits(c *Call) bool {
	return r.ranks.has(int64(c.Ranks)) && r.bytes.has(c.Bytes) && r.total.has(c.total()) &&
		(!r.powerOfTwo || bits.OnesCount(uint(c.Ranks)) == 1) && (r.site == "" || r.site == c.Site) &&
		r.info.accepts(c.Ranks) && !(r.info.CommutativeOnly && c.Ordered)
}

func (c *Call) total() int64 {
	high, low := bits.Mul64(uint64(c.Bytes), uint64(c.Ranks))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}
