// Package hostlist reads lists of names of hosts as batch systems write them, such as
// "login,node[001-016,020]".
package hostlist

import (
	"fmt"
	"strconv"
	"strings"
)

// Split splits a list at commas outside brackets.
func Split(text string) (names []string) {
	depth, begin := 0, 0
	for i, c := range text {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			names = append(names, text[begin:i])
			begin = i + 1
		}
	}
	return append(names, text[begin:])
}

// mostExpanded limits the number of names in a range.
const mostExpanded = 1 << 20

// Expand returns the names for which a range such as node[01-04,7] stands.
func Expand(name string) (list []string, right bool) {
	before, rest, ranged := strings.Cut(name, "[")
	if !ranged {
		return []string{name}, name != "" && !strings.Contains(name, "]")
	}
	inside, after, closed := strings.Cut(rest, "]")
	if !closed {
		return nil, false
	}
	ends, right := tails(after)
	if !right {
		return nil, false
	}
	for part := range strings.SplitSeq(inside, ",") {
		low, high, several := strings.Cut(part, "-")
		if !several {
			high = low
		}
		from, err := strconv.ParseUint(low, 10, 31)
		to, errTo := strconv.ParseUint(high, 10, 31)
		if err != nil || errTo != nil || to < from || to-from >= mostExpanded {
			return nil, false
		}
		for n := from; n <= to; n++ {
			for _, tail := range ends {
				list = append(list, fmt.Sprintf("%s%0*d%s", before, len(low), n, tail))
			}
			if len(list) > mostExpanded {
				return nil, false
			}
		}
	}
	return list, true
}

// tails expands the text after a range, which may be empty or contain further ranges.
func tails(tail string) ([]string, bool) {
	if tail == "" {
		return []string{""}, true
	}
	return Expand(tail)
}

// All returns all names of a list. Otherwise wrong is the first part that is no name: the whole list if a
// name is empty.
func All(list string) (names []string, wrong string, right bool) {
	for _, part := range Split(list) {
		expanded, right := Expand(part)
		switch {
		case part == "":
			return nil, list, false
		case !right || len(names) > mostExpanded:
			return nil, part, false
		}
		names = append(names, expanded...)
	}
	return names, "", true
}
