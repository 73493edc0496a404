package tables

import (
	"embed"
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/internal/config"
	"fabricast/internal/units"
)

// Table selects the algorithm of a collective by the number of ranks and the size. It is a list of
// rules. Of the rules for the collective, the first one applies whose conditions are met and whose
// algorithm accepts the number of ranks and the operation. If there is none, the collective's
// default is selected. A Table is immutable.
type Table struct{ rules map[collective.Kind][]rule }

// Call describes a call, for the conditions of rules.
type Call struct {
	Ranks int
	// Bytes is the size of the whole buffer in a broadcast, reduce or allreduce. In other
	// collectives it is the size of a block, that is, of the data for one pair of ranks or for one
	// rank.
	Bytes int64
	// Ordered means that a reduction's operation is not commutative.
	Ordered bool
	// Elem is the size in bytes of an element of a reduction. 0 means 8 bytes.
	Elem int
	// Site is the place of the call in the program's source, such as solver.c:120. It is empty if
	// unknown.
	Site string
	// Layout returns where the ranks are; nil if that is unknown. Algorithms that need to know it are
	// selected only where it suits them, or is unknown.
	Layout func() *collective.Layout
}

// rule is a line of a table.
type rule struct {
	algorithm  collective.Algorithm // the algorithm with its options
	info       *collective.Info
	ranks      span
	bytes      span
	total      span // number of bytes times number of ranks
	powerOfTwo bool
	commutes   bool  // the operation of a reduction is commutative
	fewer      fewer // upper bound on the number of elements of a reduction
	lines      []line
	site       string
}

// fewer says what the number of elements of a reduction must be less than.
type fewer int

const (
	anyElements fewer = iota
	thanRanks         // the number of ranks
	thanPlaces        // the largest power of two that is not above the number of ranks
)

func (f fewer) holds(c *Call) bool {
	elem := int64(c.Elem)
	if elem < 1 {
		elem = 8
	}
	switch n := c.Bytes / elem; f {
	case thanRanks:
		return n < int64(c.Ranks)
	case thanPlaces:
		return n < int64(partners.NewFold(c.Ranks).Pow2)
	}
	return true
}

// line is a bound on the number of ranks that depends on the number of bytes: slope*bytes + offset.
type line struct {
	above         bool // the number of ranks must be above the bound; otherwise below
	slope, offset float64
}

// has reports whether a number of ranks is on the permitted side of the bound. The product is
// rounded before the addition, so that all processors get the same result.
func (l line) has(ranks int, bytes int64) bool {
	bound := float64(l.slope*float64(bytes)) + l.offset
	if l.above {
		return float64(ranks) > bound
	}
	return float64(ranks) < bound
}

// span is a range of numbers that includes both ends.
type span struct{ low, high int64 }

var everything = span{math.MinInt64, math.MaxInt64}

func (s span) has(n int64) bool { return s.low <= n && n <= s.high }

// files holds the files of the built-in tables.
//
//go:embed *.txt
var files embed.FS

// named maps the names of the built-in tables to their files. Versions of a library with the same
// rules share a file. A name without a version stands for the newest version.
var named = map[string]string{
	"default":     "default",
	"mpich":       "mpich-4",
	"mpich-4.0":   "mpich-4",
	"mpich-4.3":   "mpich-4",
	"nccl":        "nccl",
	"nccl-2.30":   "nccl",
	"openmpi":     "openmpi-5",
	"openmpi-4.0": "openmpi-4.0",
	"openmpi-4.1": "openmpi-5",
	"openmpi-5.0": "openmpi-5",
}

// Names lists the names of the built-in tables, with the default first.
func Names() []string { return slices.Sorted(maps.Keys(named)) }

// Text returns the text of the built-in table with the given name, or "" if there is none.
func Text(name string) string {
	file, found := named[name]
	if !found {
		return ""
	}
	text, err := files.ReadFile(file + ".txt")
	if err != nil {
		panic(err) // the tables are part of the program
	}
	return string(text)
}

// Named returns the built-in table with the given name, or nil if there is none.
func Named(name string) *Table {
	text := Text(name)
	if text == "" {
		return nil
	}
	t, err := Read(name, strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return t
}

// Read parses a table (docs/collectives.md). name is the table's name in messages. The error is a
// config.Problems, or the error of r.
func Read(name string, r io.Reader) (*Table, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Table{rules: map[collective.Kind][]rule{}}
	source := &config.Source{Name: name, Text: string(all)}
	var problems config.First
	number := 0
	for line := range strings.Lines(source.Text) {
		number++
		text, _, _ := strings.Cut(line, "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if err := t.add(words); err != nil {
			at := config.Position{
				Source: source,
				Line:   number,
				Column: 1,
				Width:  utf8.RuneCountInString(strings.TrimRight(line, "\r\n")),
			}
			problems.Add(
				config.Problem{Position: at, Found: err.found, Expected: err.expected, Hint: err.hint},
			)
		}
		if problems.Count() > config.MostProblems {
			break // it takes long to find suggestions for a wrong word
		}
	}
	if problems.Count() > 0 {
		return nil, problems.Problems()
	}
	return t, nil
}

// Empty reports whether the table has no rules, like the built-in table of defaults.
func (t *Table) Empty() bool { return len(t.rules) == 0 }

// wrong describes a mistake in a line.
type wrong struct{ found, expected, hint string }

// add parses the words of a line: a collective, an algorithm, and conditions.
func (t *Table) add(words []string) *wrong {
	kind := collective.Kind(words[0])
	if collective.Names(kind) == nil {
		return &wrong{
			words[0],
			"a collective: " + strings.Join(kindNames(), ", "),
			config.DidYouMean(words[0], kindNames()),
		}
	}
	if len(words) == 1 {
		return &wrong{"no algorithm", "one of " + strings.Join(collective.Names(kind), ", "), ""}
	}
	a := collective.Algorithm(words[1])
	if err := collective.Check(kind, a, 1); err != nil {
		name, _, options := strings.Cut(words[1], collective.OptionMark)
		if options && collective.InfoOf(kind, collective.Algorithm(name)) != nil {
			return &wrong{words[1], "an algorithm with its options: " + err.Error(), ""}
		}
		return &wrong{
			words[1],
			"an algorithm: one of " + strings.Join(collective.Names(kind), ", "),
			config.DidYouMean(words[1], collective.Names(kind)),
		}
	}
	r := rule{
		algorithm: a, info: collective.InfoOf(kind, a), ranks: everything, bytes: everything, total: everything,
	}
	for _, word := range words[2:] {
		if err := r.condition(word); err != nil {
			return err
		}
	}
	t.rules[kind] = append(t.rules[kind], r)
	return nil
}

func kindNames() []string {
	var names []string
	for _, k := range collective.Kinds() {
		names = append(names, string(k))
	}
	return names
}

const conditions = "a condition: power-of-two, commutative, elements<ranks, elements<q, site=FILE:LINE, or ranks, bytes or total with <, <=, " +
	"=, >= or > and a number, as in bytes<=2KiB, or ranks with < or > and a line, as in ranks<0.5*bytes+2"

// condition parses a condition and adds it to the rule.
func (r *rule) condition(word string) *wrong {
	switch word {
	case "power-of-two":
		r.powerOfTwo = true
		return nil
	case "commutative":
		r.commutes = true
		return nil
	case "elements<ranks":
		r.fewer = thanRanks
		return nil
	case "elements<q":
		r.fewer = thanPlaces
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
	if slope, offset, found := strings.Cut(value, "*bytes+"); found {
		return r.line(word, name, operator, slope, offset)
	}
	of := map[string]*span{"ranks": &r.ranks, "bytes": &r.bytes, "total": &r.total}[name]
	n, err := number(name, value)
	if of == nil || err != nil || n < 0 {
		return &wrong{word, conditions, ""}
	}
	of.narrow(operator, n)
	return nil
}

// line adds a bound on the number of ranks that depends linearly on the number of bytes.
func (r *rule) line(word, name, operator, slope, offset string) *wrong {
	l := line{above: operator == ">"}
	var errs [2]error
	l.slope, errs[0] = strconv.ParseFloat(slope, 64)
	l.offset, errs[1] = strconv.ParseFloat(offset, 64)
	bad := math.IsInf(l.slope, 0) || math.IsNaN(l.slope) || math.IsInf(l.offset, 0) || math.IsNaN(l.offset)
	if name != "ranks" || len(operator) != 1 || operator == "=" || errs[0] != nil || errs[1] != nil || bad {
		return &wrong{word, "a line such as ranks<0.5*bytes+2 or ranks>0.5*bytes+2", ""}
	}
	r.lines = append(r.lines, l)
	return nil
}

// number parses a number of ranks, or, if name is not "ranks", a number of bytes.
func number(name, text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil || name == "ranks" {
		return n, err
	}
	n, err := units.ParseBytes(text)
	return int64(n), err
}

// narrow restricts the range to the numbers x for which the comparison of x with n holds.
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
		if n == math.MaxInt64 { // n+1 would overflow
			s.high = math.MinInt64
			return
		}
		s.low = max(s.low, n+1)
	}
}

// Before returns a table that selects algorithm a for a collective wherever it can run, and
// otherwise the algorithm that t selects. It returns an error if the algorithm is unknown.
func (t *Table) Before(kind collective.Kind, a collective.Algorithm) (*Table, error) {
	if err := collective.Check(kind, a, 1); err != nil {
		return nil, err
	}
	made := &Table{rules: map[collective.Kind][]rule{}}
	for k, rules := range t.rules {
		made.rules[k] = rules
	}
	first := rule{
		algorithm: a, info: collective.InfoOf(kind, a),
		ranks: everything, bytes: everything, total: everything,
	}
	made.rules[kind] = append([]rule{first}, t.rules[kind]...)
	return made, nil
}

// Sites reports whether any rule depends on the place of a call.
func (t *Table) Sites() bool { return t.any(func(r *rule) bool { return r.site != "" }) }

// Placed reports whether any rule depends on where ranks are.
func (t *Table) Placed() bool {
	return t.any(func(r *rule) bool { return r.info.Needs != collective.NeedsNothing })
}

func (t *Table) any(is func(r *rule) bool) bool {
	for _, rules := range t.rules {
		for i := range rules {
			if is(&rules[i]) {
				return true
			}
		}
	}
	return false
}

// Choose returns the algorithm for a call of a collective.
func (t *Table) Choose(kind collective.Kind, c Call) collective.Algorithm {
	rules := t.rules[kind]
	for i := range rules {
		if rules[i].fits(&c) {
			return rules[i].algorithm
		}
	}
	return collective.Default
}

func (r *rule) fits(c *Call) bool {
	return r.ranks.has(int64(c.Ranks)) && r.bytes.has(c.Bytes) && r.total.has(c.total()) &&
		(!r.powerOfTwo || bits.OnesCount(uint(c.Ranks)) == 1) && (r.site == "" || r.site == c.Site) &&
		!(r.commutes && c.Ordered) && r.fewer.holds(c) && r.onItsSide(c) && r.info.Accepts(c.Ranks) && !(r.info.CommutativeOnly && c.Ordered) && r.suits(c)
}

// suits reports whether the algorithm finds what it needs on the machine.
func (r *rule) suits(c *Call) bool {
	if r.info.Needs == collective.NeedsNothing || c.Layout == nil {
		return true
	}
	l := c.Layout()
	return l == nil || r.info.Suits(l)
}

// onItsSide reports whether the linear bounds on the number of ranks are met.
func (r *rule) onItsSide(c *Call) bool {
	for _, l := range r.lines {
		if !l.has(c.Ranks, c.Bytes) {
			return false
		}
	}
	return true
}

func (c *Call) total() int64 {
	high, low := bits.Mul64(uint64(c.Bytes), uint64(c.Ranks))
	if high != 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}
