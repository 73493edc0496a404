package libraries

import (
	"slices"
	"strconv"
	"strings"

	"fabricast/collective"
	"fabricast/internal/config"
)

// readMPICH reads a tree as lines: one for each leaf, with the conditions on the way to it. MPICH
// takes the first branch whose condition holds, so the order of leaves is that of the lines.
func readMPICH(r *reader) error {
	root, err := readJSON(r.source)
	if err != nil {
		return err
	}
	if root.kind != '{' {
		return root.wrong("an object with the collectives of MPICH")
	}
	return r.tree(root, nil, nil)
}

// mostLeaves is the largest number of lines that a tree may give.
const mostLeaves = 1 << 16

// tree reads the members of an object. c is the collective that it is about; nil: not known yet.
func (r *reader) tree(v *value, c *mpichCollective, words []string) error {
	members := slices.Clone(v.members)
	// What holds for operations that are not commutative, which no condition of a table says, comes
	// after what holds for commutative ones, which leaves nothing of them.
	slices.SortStableFunc(members, func(a, b member) int { return noFor(a.key) - noFor(b.key) })
	for _, m := range members {
		key := strings.ReplaceAll(m.key, " ", "")
		if m.is.kind != '{' {
			return m.is.wrong("an object")
		}
		if name, is := strings.CutPrefix(key, "algorithm="); is {
			return r.leaf(m, name, c, words)
		}
		if strings.HasPrefix(key, "composition=") {
			r.note("compositions of MPICH's device are not used")
			return nil
		}
		if name, is := strings.CutPrefix(key, "collective="); is {
			below := slices.IndexFunc(inMPICH, func(c mpichCollective) bool { return c.names[len(c.names)-1] == name })
			if below < 0 {
				continue // of other calls
			}
			if err := r.tree(m.is, &inMPICH[below], words); err != nil {
				return err
			}
			continue
		}
		word, taken, err := condition(m, key)
		if err != nil {
			return err
		}
		if !taken {
			if strings.HasPrefix(key, "comm_hierarchy=") {
				r.note("rules of MPICH for several ranks of a node are not used")
			}
			continue
		}
		below := words
		if word != "" {
			below = append(slices.Clone(words), word)
		}
		if err := r.tree(m.is, c, below); err != nil {
			return err
		}
	}
	return nil
}

func noFor(key string) int { return yes(key == "is_commutative=no" || key == "is_op_built_in=no") }

// fixed says which conditions hold for calls here, in which each rank has a node of its own and no
// thread but one.
var fixed = map[string]bool{
	"comm_type=intra": true, "comm_type=inter": false,
	"comm_size=node_comm_size": false,
	"comm_hierarchy=parent":    false, "comm_hierarchy=flat": true, "comm_hierarchy=node": false, "comm_hierarchy=node_roots": false,
	"is_multi_threaded=yes": false, "is_multi_threaded=no": true,
	"is_node_consecutive=yes": false, "is_node_consecutive=no": true,
	"is_sendbuf_inplace=yes": false, "is_sendbuf_inplace=no": true,
	"is_block_regular=yes": true, "is_block_regular=no": false,
	"is_commutative=no": true, "is_op_built_in=no": true,
}

// words of a table for conditions without numbers.
var mpichWords = map[string]string{
	"comm_size=pow2": "power-of-two", "count<pow2": "elements<q",
	"is_commutative=yes": "commutative", "is_op_built_in=yes": "commutative",
}

// condition returns the condition of a table for a key of MPICH, "" if it holds always. taken is
// false if it never holds.
func condition(m member, key string) (word string, taken bool, err error) {
	wrong := func(expected string) error {
		return config.Problems{{Position: m.at, Found: strconv.Quote(m.key), Expected: expected}}
	}
	if holds, known := fixed[key]; known {
		return "", holds, nil
	}
	if word := mpichWords[key]; word != "" {
		return word, true, nil
	}
	if key == "any" || strings.HasSuffix(key, "=any") {
		return "", true, nil
	}
	for _, of := range []struct{ key, word string }{
		{"comm_size", "ranks"},
		{"avg_msg_size", "bytes"},
		{"total_msg_size", "total"},
		{"count", "bytes"},
		{"comm_avg_ppn", ""},
	} {
		rest, is := strings.CutPrefix(key, of.key+"<")
		if !is {
			continue
		}
		operator := "<"
		if rest, is = strings.CutPrefix(rest, "="); is {
			operator = "<="
		}
		n, err := strconv.ParseInt(rest, 10, 32)
		if err != nil || n < 0 {
			return "", false, wrong("a number below 2^31 after " + of.key + operator)
		}
		switch of.key {
		case "comm_avg_ppn":
			return "", 1 < n || operator == "<=" && n == 1, nil
		case "count":
			n *= mpichElement
		}
		return of.word + operator + strconv.FormatInt(n, 10), true, nil
	}
	return "", false, wrong("a condition that MPICH knows, such as comm_size<=64, avg_msg_size<=1024 or algorithm=...")
}

// mpichElement is the size in bytes that elements have where MPICH counts them, as in package tables.
const mpichElement = 8

// leaf adds the line of an algorithm.
func (r *reader) leaf(m member, name string, c *mpichCollective, words []string) error {
	if c == nil {
		return config.Problems{{Position: m.at, Found: strconv.Quote(m.key), Expected: "a collective above it"}}
	}
	if r.cited++; r.cited > mostLeaves {
		return config.Problems{{Position: m.at, Found: "more than 65536 algorithms", Expected: "fewer"}}
	}
	_, short, _ := strings.Cut(name, "_intra_")
	found := false
	for _, n := range c.list {
		if n.name != short {
			continue
		}
		a, fits := n.parts(m.is)
		if !fits {
			continue
		}
		found = true
		demand := words
		if n.demand == predefined || n.demand == commutative {
			demand = append(slices.Clone(words), "commutative")
		}
		r.add(c.kind, a.algorithm(c.kind), demand...)
	}
	if !found {
		r.note("%s of MPICH has no counterpart here: its place is left to the library's own rules", name)
		r.ownRules("mpich", c.kind, words)
	}
	return nil
}

// parts returns the algorithm of a name with the parameters that a leaf gives; false if they are for
// another one.
func (n *mpichName) parts(parameters *value) (parts, bool) {
	p := parts{name: n.is, segment: -1}
	given := map[string]string{}
	for _, m := range parameters.members {
		key, value, _ := strings.Cut(strings.ReplaceAll(m.key, " ", ""), "=")
		given[key] = value
	}
	number := func(key string, missing int) int {
		if v, err := strconv.Atoi(given[key]); err == nil && v > 0 {
			return v
		}
		return missing
	}
	switch n.name {
	case "tree":
		p.radix = number("k", 2)
		return p, given["tree_type"] == "knomial_1"
	case "pipelined_tree":
		k := 2
		if n.is == collective.Pipeline {
			k = 1
		}
		p.segment = number("chunk_size", 0)
		return p, (given["tree_type"] == "kary" || given["tree_type"] == "") && number("k", 2) == k
	}
	return p, true
}
