package libraries

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
)

// writeOpenMPIJSON writes rules as Open MPI reads them from version 6 on.
func writeOpenMPIJSON(w *writer, all []Decisions) {
	w.printf("{\n  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n  \"collectives\": {")
	for i := range all {
		d, c := &all[i], tunedOf(all[i].Kind)
		w.printf("%s\n    %q: [", comma(i), c.name)
		first := true
		for j, b := range d.Bands {
			list := c.choices(w, b, true)
			if len(list) == 0 {
				continue
			}
			w.printf("%s\n      {%s\n        \"rules\": [", comma(yes(!first)), bounds("comm_size", d.ranks(j)))
			first = false
			for k, one := range list {
				s := span{low: one.from}
				if k+1 < len(list) {
					s.high = list[k+1].from
				}
				w.printf("%s\n          {%s \"alg\": %q%s}", comma(k), bounds("msg_size", s),
					c.algorithm(one.is.algorithm).name, one.is.fields())
			}
			w.printf("\n        ]\n      }")
		}
		w.printf("\n    ]")
	}
	w.printf("\n  }\n}\n")
}

func yes(b bool) int {
	if b {
		return 1
	}
	return 0
}

// comma separates the elements of a list, by their indexes.
func comma(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

// bounds returns the members of an object for a span.
func bounds(name string, s span) string {
	text := fmt.Sprintf("%q: %d,", name+"_min", s.low)
	if s.high > 0 {
		text += fmt.Sprintf(" %q: %d,", name+"_max", s.high-1)
	}
	return text
}

// fields returns the members of an object for the options of a rule.
func (r tunedRule) fields() string {
	var b strings.Builder
	for _, f := range []struct {
		name  string
		value int
	}{{"faninout", r.fanout}, {"seg_size", r.segment}, {"reqs", r.requests}} {
		if f.value > 0 {
			fmt.Fprintf(&b, ", %q: %d", f.name, f.value)
		}
	}
	return b.String()
}

// readOpenMPIJSON reads rules of Open MPI 6. Beyond them the library's own rules hold.
func readOpenMPIJSON(r *reader) error {
	root, err := readJSON(r.source)
	if err != nil {
		return err
	}
	collectives := root.get("collectives")
	if collectives == nil || collectives.kind != '{' {
		return root.wrong("an object with collectives, an object of lists")
	}
	for _, m := range collectives.members {
		at := slices.IndexFunc(tuned, func(c tunedCollective) bool { return c.name == m.key })
		if at < 0 {
			r.note("rules for %s of Open MPI are not used", m.key)
			continue
		}
		if m.is.kind != '[' {
			return m.is.wrong("a list of rules for numbers of ranks")
		}
		for _, band := range m.is.items {
			if err := tuned[at].readJSONBand(r, band); err != nil {
				return err
			}
		}
	}
	r.beyond("openmpi")
	return nil
}

// readJSONBand reads the rules for a span of numbers of ranks.
func (c *tunedCollective) readJSONBand(r *reader, band *value) error {
	ranks, err := within(band, "comm_size")
	if err != nil {
		return err
	}
	rules := band.get("rules")
	if rules == nil || rules.kind != '[' {
		return band.wrong("an object with rules, a list")
	}
	if d := band.get("comm_rank_distribution"); d != nil && d.text == "single-node" {
		r.note("rules of Open MPI for ranks on a single node are not used")
		return nil
	}
	for _, rule := range rules.items {
		sizes, err := within(rule, "msg_size")
		if err != nil {
			return err
		}
		one, at, err := c.jsonRule(r, rule)
		if err != nil {
			return err
		}
		if at.Source == nil {
			continue
		}
		words := ranks.words("ranks")
		if c.size != ofNone {
			words = append(words, sizes.words(c.size.word())...)
		}
		if err := c.add(r, one, at, words); err != nil {
			return err
		}
	}
	// Open MPI looks at no other list when no size of the first one for the ranks fits.
	r.ownRules("openmpi", c.kind, ranks.words("ranks"))
	return nil
}

// jsonRule reads what a rule selects, and where it says so. Open MPI ignores a rule that names an
// unknown algorithm; it has no position.
func (c *tunedCollective) jsonRule(r *reader, rule *value) (one tunedRule, at config.Position, err error) {
	alg := rule.get("alg")
	if alg == nil || alg.kind != 0 {
		return one, at, rule.wrong("an object with alg, the name or number of an algorithm")
	}
	i := slices.IndexFunc(c.algorithms, func(a tunedAlgorithm) bool {
		return a.name == alg.text || !alg.quoted && strconv.Itoa(a.number) == alg.text
	})
	switch {
	case i >= 0:
		one.algorithm = c.algorithms[i].number
	case alg.text == "ignore" || alg.text == "0":
	default:
		r.note("%s %s is unknown: as Open MPI does, its rule is ignored", c.name, alg.text)
		return one, at, nil
	}
	for name, to := range map[string]*int{"faninout": &one.fanout, "seg_size": &one.segment, "reqs": &one.requests} {
		n, err := bound(rule, name, 0)
		if err != nil {
			return one, at, err
		}
		if n > 1<<31-1 {
			return one, at, rule.get(name).wrong("a number below 2^31")
		}
		*to = int(n)
	}
	return one, alg.at, nil
}

// within reads the span of an object: name_min and name_max, both included.
func within(v *value, name string) (s span, err error) {
	if v.kind != '{' {
		return s, v.wrong("an object")
	}
	if s.low, err = bound(v, name+"_min", 0); err != nil {
		return s, err
	}
	high, err := bound(v, name+"_max", -1)
	if high >= 0 && high < endless {
		s.high = high + 1
	}
	return s, err
}

// endless is the bound that Open MPI calls inf.
const endless = 1<<63 - 1

// bound reads a number, or inf, that may be missing.
func bound(v *value, name string, missing int64) (int64, error) {
	is := v.get(name)
	if is == nil {
		return missing, nil
	}
	if is.quoted && strings.EqualFold(is.text, "inf") {
		return endless, nil
	}
	n, err := strconv.ParseInt(is.text, 10, 64)
	if err != nil || is.quoted || n < 0 {
		return 0, is.wrong("a number from 0 to 2^63-1, or inf")
	}
	return n, nil
}
