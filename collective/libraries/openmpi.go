package libraries

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fabricast/collective"
	"fabricast/collective/tables"
	"fabricast/internal/config"
	"fabricast/internal/pattern"
)

// tunedAlgorithm is an algorithm of Open MPI's component "tuned".
type tunedAlgorithm struct {
	number int
	name   string // in version 6
	is     collective.Algorithm
	// which columns of a rule it takes
	segment, fanout, window bool
	newer                   bool // it is in version 6 only
	read                    bool // it is only read: another one stands for what is here, or nothing does
}

// tunedCollective is a collective of the component.
type tunedCollective struct {
	kind       collective.Kind
	number     int
	name       string // in version 6
	size       sizeOf
	algorithms []tunedAlgorithm
}

// tuned lists the collectives for which rules can be written. Rules for others are not read.
var tuned = []tunedCollective{
	{collective.KindAllgather, 0, "allgather", ofAll, []tunedAlgorithm{
		{number: 1, name: "linear", is: collective.Linear},
		{number: 2, name: "bruck-k-fanout", is: collective.Bruck},
		{number: 3, name: "recursive_doubling", is: collective.RecursiveDoubling},
		{number: 4, name: "ring", is: collective.Ring},
		{number: 5, name: "neighbor", is: collective.NeighborExchange},
		{number: 6, name: "two_proc", is: collective.Ring, read: true},
		{number: 7, name: "sparbit", read: true},
		{number: 8, name: "direct-messaging", read: true},
	}},
	{collective.KindAllreduce, 2, "allreduce", ofBuffer, []tunedAlgorithm{
		{number: 1, name: "basic_linear", is: collective.Linear},
		{number: 2, name: "nonoverlapping", is: collective.Nonoverlapping},
		{number: 3, name: "recursive_doubling", is: collective.RecursiveDoubling},
		{number: 4, name: "ring", is: collective.Ring},
		{number: 5, name: "segmented_ring", is: collective.SegmentedRing, segment: true},
		{number: 6, name: "rabenseifner", is: collective.Rabenseifner},
		{number: 7, name: "allgather_reduce", read: true},
	}},
	{collective.KindAlltoall, 3, "alltoall", ofAll, []tunedAlgorithm{
		{number: 1, name: "linear", is: collective.Linear},
		{number: 2, name: "pairwise", is: collective.Ring},
		{number: 3, name: "modified_bruck", is: collective.Bruck},
		{number: 4, name: "linear_sync", is: collective.LinearSync, window: true},
		{number: 5, name: "two_proc", is: collective.Ring, read: true},
	}},
	{collective.KindBarrier, 6, "barrier", ofNone, []tunedAlgorithm{
		{number: 1, name: "linear", is: collective.Linear},
		{number: 2, name: "double_ring", is: collective.DoubleRing},
		{number: 3, name: "recursive_doubling", is: collective.RecursiveDoubling},
		{number: 4, name: "bruck", is: collective.Dissemination},
		{number: 5, name: "two_proc", is: collective.Dissemination, read: true},
		{number: 6, name: "tree", is: collective.Tree},
	}},
	{collective.KindBroadcast, 7, "bcast", ofBuffer, []tunedAlgorithm{
		{number: 1, name: "basic_linear", is: collective.Linear},
		{number: 2, name: "chain", is: collective.Chain, segment: true, fanout: true},
		{number: 3, name: "pipeline", is: collective.Pipeline, segment: true},
		{number: 4, name: "split_binary_tree", is: collective.SplitBinary, segment: true},
		{number: 5, name: "binary_tree", is: collective.Binary, segment: true},
		{number: 6, name: "binomial", is: collective.BinomialDoubling, segment: true},
		{number: 7, name: "knomial", is: collective.Knomial, segment: true},
		{number: 8, name: "scatter_allgather", is: collective.ScatterDoubling},
		{number: 9, name: "scatter_allgather_ring", is: collective.ScatterAllgather},
	}},
	{collective.KindExscan, 8, "exscan", ofNone, scans},
	{collective.KindGather, 9, "gather", ofAll, []tunedAlgorithm{
		{number: 1, name: "basic_linear", is: collective.Linear},
		{number: 2, name: "binomial", is: collective.Binomial},
		{number: 3, name: "linear_sync", is: collective.LinearSync, segment: true},
	}},
	{collective.KindReduce, 11, "reduce", ofBuffer, []tunedAlgorithm{
		{number: 1, name: "linear", is: collective.Linear},
		{number: 2, name: "chain", is: collective.Chain, segment: true, fanout: true},
		{number: 3, name: "pipeline", is: collective.Pipeline, segment: true},
		{number: 4, name: "binary", is: collective.Binary, segment: true},
		{number: 5, name: "binomial", is: collective.Binomial, segment: true},
		{number: 6, name: "in-order_binary", is: collective.InOrderBinary, segment: true},
		{number: 7, name: "rabenseifner", is: collective.Rabenseifner},
		{number: 8, name: "knomial", is: collective.Knomial, segment: true, newer: true},
	}},
	{collective.KindReduceScatter, 12, "reduce_scatter", ofAll, []tunedAlgorithm{
		{number: 1, name: "non-overlapping", is: collective.Nonoverlapping},
		{number: 2, name: "recursive_halving", is: collective.RecursiveHalving},
		{number: 3, name: "ring", is: collective.Ring},
		{number: 4, name: "butterfly", is: collective.RecursiveHalving, read: true},
	}},
	{collective.KindScan, 14, "scan", ofNone, scans},
	{collective.KindScatter, 15, "scatter", ofAll, []tunedAlgorithm{
		{number: 1, name: "basic_linear", is: collective.Linear},
		{number: 2, name: "binomial", is: collective.Binomial},
		{number: 3, name: "linear_nb", is: collective.Linear, read: true},
	}},
}

// scans are the algorithms of prefix reductions. Open MPI's recursive doubling exchanges with rank
// XOR 2^k, as the butterfly does here.
var scans = []tunedAlgorithm{
	{number: 1, name: "linear", is: collective.Linear},
	{number: 2, name: "recursive_doubling", is: collective.Butterfly},
}

// tunedCollectives is the number of collectives that Open MPI numbers.
const tunedCollectives = 22

func tunedOf(kind collective.Kind) *tunedCollective {
	i := slices.IndexFunc(tuned, func(c tunedCollective) bool { return c.kind == kind })
	return &tuned[i] // every collective is there, as a test checks
}

// tunedRule is what a rule of Open MPI selects.
type tunedRule struct{ algorithm, fanout, segment, requests int }

// find returns the rule for an algorithm, if there is one.
func (c *tunedCollective) find(newer bool) func(collective.Algorithm) (tunedRule, bool) {
	return func(a collective.Algorithm) (tunedRule, bool) {
		p := partsOf(c.kind, a)
		for _, t := range c.algorithms {
			if t.is != p.name || t.read || t.newer && !newer {
				continue
			}
			// The radix of a k-nomial tree is a parameter of the library, 4 by default.
			if p.name == collective.Knomial && p.radix != tunedRadix {
				return tunedRule{}, false
			}
			r := tunedRule{algorithm: t.number}
			if t.segment {
				r.segment = p.segment
			}
			if t.fanout {
				r.fanout = p.fanout
			}
			if t.window {
				r.requests = p.window
			}
			return r, true
		}
		return tunedRule{}, false
	}
}

const tunedRadix = 4

// back returns the algorithm that a rule selects; "" if there is none here.
func (c *tunedCollective) back(r tunedRule) collective.Algorithm {
	t := c.algorithm(r.algorithm)
	if t == nil || t.is == "" {
		return ""
	}
	p := parts{name: t.is, segment: -1} // -1: it is not in the rule
	if t.segment {
		p.segment = r.segment
	}
	if t.fanout {
		p.fanout = r.fanout
	}
	if t.window {
		p.window = r.requests
	}
	return p.algorithm(c.kind)
}

// algorithm returns the algorithm of a number, or nil.
func (c *tunedCollective) algorithm(number int) *tunedAlgorithm {
	for i := range c.algorithms {
		if c.algorithms[i].number == number {
			return &c.algorithms[i]
		}
	}
	return nil
}

// choices returns the choices in a band, by the sizes that the library knows.
func (c *tunedCollective) choices(w *writer, b Band, newer bool) []choice[tunedRule] {
	list := choices(b, firstOf(c.find(newer)), w.missing("Open MPI", c.kind))
	factor := c.size.factor(b.Ranks)
	if factor == 0 && len(list) > 1 {
		w.note("Open MPI does not choose %s by size: the algorithm for the largest size is written", c.kind)
		list = list[len(list)-1:]
		list[0].from = 0
	}
	for i := range list {
		list[i].from *= factor
	}
	return list
}

// writeOpenMPI writes rules in the numbers that Open MPI 4 and 5 read.
func writeOpenMPI(w *writer, all []Decisions) {
	var body writer
	requests, kinds := false, 0
	for i := range all {
		d, c := &all[i], tunedOf(all[i].Kind)
		kinds++
		body.printf("%d  # %s\n%d  # numbers of ranks\n", c.number, c.name, len(d.Bands))
		for _, b := range d.Bands {
			list := c.choices(w, b, false)
			if len(list) == 0 {
				list = []choice[tunedRule]{{}} // algorithm 0: the library's own rules
			}
			body.printf("%d  # ranks\n%d  # sizes: bytes, algorithm, fanout, segment, requests\n", b.Ranks, len(list))
			for _, one := range list {
				r := one.is
				body.printf("%d %d %d %d", one.from, r.algorithm, r.fanout, r.segment)
				if r.requests > 0 {
					requests = true
					body.printf(" %d", r.requests)
				}
				body.printf("  # %s\n", one.of)
			}
		}
		if d.Kind == collective.KindReduceScatter {
			w.note("Open MPI has rules of their own for MPI_Reduce_scatter_block: none are written")
		}
	}
	if requests {
		w.note("linear-sync has a window: only Open MPI 5.0.7 and later read openmpi.conf")
		w.printf("rule-file-version-2\n")
	}
	w.printf("%d  # collectives\n", kinds)
	_, _ = body.WriteTo(w) // into memory
}

// numbersOf matches the numbers of a file of rules, and what is between them.
var numbersOf = pattern.Lazy(`[0-9]+|[^0-9\s]+`)

// numbers reads the numbers of a file of rules.
type numbers struct {
	source *config.Source
	list   []number
}

type number struct {
	value int64
	at    config.Position
	first bool // on its line
}

// newNumbers finds all numbers. Comments begin with #.
func newNumbers(source *config.Source) (n numbers, version int, err error) {
	n.source, version = source, 1
	row := 0
	for text := range strings.Lines(source.Text) {
		row++
		if rest, found := strings.CutPrefix(text, "rule-file-version-"); found && row == 1 {
			if version, err = strconv.Atoi(strings.TrimSpace(rest)); err != nil || version < 1 {
				return n, 0, problem(source, row, text, strings.TrimSpace(text), "rule-file-version-1 or -2")
			}
			continue
		}
		text, _, _ = strings.Cut(text, "#")
		for i, at := range numbersOf().FindAllStringIndex(text, -1) {
			word := text[at[0]:at[1]]
			value, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return n, 0, problem(source, row, text, word, "a number from 0 to 2^63-1")
			}
			n.list = append(n.list, number{value, config.Position{
				Source: source, Line: row, Column: 1 + utf8.RuneCountInString(text[:at[0]]), Width: len(word),
			}, i == 0})
		}
	}
	return n, version, nil
}

// problem returns the error for a line.
func problem(source *config.Source, row int, text, found, expected string) error {
	return config.Problems{{
		Position: config.Position{
			Source: source, Line: row, Column: 1, Width: utf8.RuneCountInString(strings.TrimRight(text, "\r\n")),
		},
		Found: found, Expected: expected,
	}}
}

// next returns the next number, which is at most most.
func (n *numbers) next(what string, most int64) (number, error) {
	if len(n.list) == 0 {
		row := 1 + strings.Count(n.source.Text, "\n")
		return number{}, problem(n.source, row, "", "the end", what)
	}
	v := n.list[0]
	n.list = n.list[1:]
	if v.value > most {
		return v, wrongNumber(v, fmt.Sprintf("%s, at most %d", what, most))
	}
	return v, nil
}

func wrongNumber(n number, expected string) error {
	return config.Problems{{Position: n.at, Found: strconv.FormatInt(n.value, 10), Expected: expected}}
}

// readOpenMPI reads rules in numbers. Beyond them the library's own rules hold.
func readOpenMPI(r *reader) error {
	n, version, err := newNumbers(r.source)
	if err != nil {
		return err
	}
	kinds, err := n.next("the number of collectives", tunedCollectives)
	for ; kinds.value > 0 && err == nil; kinds.value-- {
		err = readTuned(r, &n, version)
	}
	r.beyond("openmpi")
	return err
}

// readTuned reads the rules of one collective.
func readTuned(r *reader, n *numbers, version int) error {
	id, err := n.next("the number of a collective", tunedCollectives-1)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(tuned, func(c tunedCollective) bool { return int64(c.number) == id.value })
	count, err := n.next("how many numbers of ranks follow", int64(len(n.list)))
	var bands []tunedBand
	for ; count.value > 0 && err == nil; count.value-- {
		var b tunedBand
		b, err = readBand(n, version)
		bands = append(bands, b)
	}
	if err != nil {
		return err
	}
	if at < 0 {
		r.note("rules for collective %d of Open MPI are not used", id.value)
		return nil
	}
	for i, b := range bands {
		s := span{}
		if i > 0 {
			s.low = b.ranks
		}
		if i+1 < len(bands) {
			s.high = bands[i+1].ranks
		}
		if err := tuned[at].read(r, s, b.rules); err != nil {
			return err
		}
	}
	return nil
}

// tunedBand holds rules for a number of ranks.
type tunedBand struct {
	ranks int64
	rules []sizedRule
}

// sizedRule is a rule from a size on.
type sizedRule struct {
	from int64
	tunedRule
	at config.Position
}

// readBand reads the rules for a number of ranks.
func readBand(n *numbers, version int) (b tunedBand, err error) {
	const most = 1<<31 - 1
	ranks, err := n.next("a number of ranks", most)
	if err != nil {
		return b, err
	}
	b.ranks = ranks.value
	count, err := n.next("how many sizes follow", int64(len(n.list)))
	for ; count.value > 0 && err == nil; count.value-- {
		var v [4]number
		for i, what := range []string{"a size", "the number of an algorithm", "a fanout", "a segment size"} {
			bound := int64(most)
			if i == 0 {
				bound = 1<<63 - 1
			}
			if v[i], err = n.next(what, bound); err != nil {
				return b, err
			}
		}
		rule := sizedRule{
			from: v[0].value, at: v[1].at,
			tunedRule: tunedRule{algorithm: int(v[1].value), fanout: int(v[2].value), segment: int(v[3].value)},
		}
		if last := len(b.rules) - 1; last < 0 && rule.from != 0 {
			return b, wrongNumber(v[0], "0, because the first rule is for all sizes")
		} else if last >= 0 && rule.from < b.rules[last].from {
			return b, wrongNumber(v[0], "sizes in ascending order")
		}
		if version > 1 && len(n.list) > 0 && !n.list[0].first {
			var requests number
			if requests, err = n.next("a number of requests", most); err != nil {
				return b, err
			}
			rule.requests = int(requests.value)
		}
		b.rules = append(b.rules, rule)
	}
	return b, err
}

// read adds the lines of rules that hold for a span of ranks.
func (c *tunedCollective) read(r *reader, ranks span, rules []sizedRule) error {
	if c.size == ofNone && len(rules) > 1 {
		r.note("%s of Open MPI is not chosen by size: the first rule holds", c.name)
		rules = rules[:1]
	}
	for i, rule := range rules {
		s := span{low: rule.from}
		if i+1 < len(rules) {
			if s.high = rules[i+1].from; s.high == s.low {
				continue
			}
		}
		words := ranks.words("ranks")
		if c.size != ofNone {
			words = append(words, s.words(c.size.word())...)
		}
		if err := c.add(r, rule.tunedRule, rule.at, words); err != nil {
			return err
		}
	}
	return nil
}

// add adds the line of a rule with its conditions.
func (c *tunedCollective) add(r *reader, rule tunedRule, at config.Position, words []string) error {
	if rule.algorithm == 0 {
		r.ownRules("openmpi", c.kind, words)
		return nil
	}
	known := c.algorithm(rule.algorithm)
	if known == nil {
		return config.Problems{{
			Position: at, Found: strconv.Itoa(rule.algorithm),
			Expected: fmt.Sprintf("an algorithm of %s, from 0 to %d", c.name, len(c.algorithms)),
		}}
	}
	a := c.back(rule)
	switch {
	case a == "":
		r.note("%s %s of Open MPI has no counterpart here: the library's own rules hold in its place", c.name, known.name)
		r.ownRules("openmpi", c.kind, words)
		return nil
	case known.read:
		r.note("%s %s of Open MPI: %s stands for it", c.name, known.name, a)
	}
	r.add(c.kind, a, words...)
	return nil
}

// rulesOf returns the lines of a built-in table about a collective.
func rulesOf(table string, kind collective.Kind) (list []string) {
	for text := range strings.Lines(tables.Text(table)) {
		text, _, _ = strings.Cut(text, "#")
		if words := strings.Fields(text); len(words) > 0 && words[0] == string(kind) {
			list = append(list, strings.Join(words, " "))
		}
	}
	return list
}
