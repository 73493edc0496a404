package tune

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabricast/collective"
	"fabricast/collective/tables"
	"fabricast/internal/config"
	"fabricast/internal/units"
)

// Spec says what is tuned.
type Spec struct {
	Kind  collective.Kind
	Sizes []int64 // bytes, as in tables.Call, ascending
	Ranks []int   // ascending; nil: that of the experiment, or as many as each shape has places for
	// Shapes are the shapes of the network that are tried; nil: that of the experiment.
	Shapes []Shape

	// Algorithms are those that are tried, without options; nil: all.
	Algorithms []collective.Algorithm
	// Segments (bytes), Fanouts, Radixes and Windows are the values of options that are tried besides
	// the defaults.
	Segments                  []int
	Fanouts, Radixes, Windows []int

	All     bool // also run what cannot win
	Compare []Table
}

// Table is a table whose choices are compared with the fastest algorithms.
type Table struct {
	Name  string
	Table *tables.Table
}

// mostValues is the largest number of sizes, or of numbers of ranks.
const mostValues = 1000

// ParseSizes reads sizes: a list such as 8B,1KiB,1MiB, or a range such as 8B:64MiB, whose sizes grow
// by a factor, 2 unless it follows as in 8B:64MiB:4. A range ends with its last size in any case.
func ParseSizes(text string) ([]int64, error) {
	return parseList(text, func(word string) (int64, error) {
		if n, err := strconv.ParseInt(word, 10, 64); err == nil && n >= 0 {
			return n, nil
		}
		n, err := units.ParseBytes(word)
		if err != nil || n < 0 || n > math.MaxInt32 {
			return 0, fmt.Errorf("found %q, expected a size below 2 GiB such as 64KiB", word)
		}
		return int64(n), nil
	})
}

// ParseNumbers reads numbers of ranks in the form of ParseSizes.
func ParseNumbers(text string) ([]int, error) {
	list, err := parseList(text, func(word string) (int64, error) {
		n, err := strconv.ParseInt(word, 10, 31)
		if err != nil || n < 1 {
			return 0, fmt.Errorf("found %q, expected a number from 1 on", word)
		}
		return n, nil
	})
	numbers := make([]int, len(list))
	for i, n := range list {
		numbers[i] = int(n)
	}
	return numbers, err
}

// Shape is the size of each dimension of a network: a machine's, or a topology's dims.
type Shape []int

// String returns the sizes with an x between them: 16x8x8.
func (s Shape) String() string {
	words := make([]string, len(s))
	for i, n := range s {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, "x")
}

// ParseShapes reads a list of shapes such as 8x8x8,16x8x4.
func ParseShapes(text string) (list []Shape, err error) {
	for word := range strings.SplitSeq(text, ",") {
		var shape Shape
		for size := range strings.SplitSeq(word, "x") {
			n, err := strconv.ParseInt(size, 10, 31)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("found %q, expected numbers from 1 on such as 16x8x8", word)
			}
			shape = append(shape, int(n))
		}
		if slices.ContainsFunc(list, func(s Shape) bool { return slices.Equal(s, shape) }) {
			return nil, fmt.Errorf("found %q twice, expected each shape once", word)
		}
		list = append(list, shape)
	}
	return list, nil
}

func parseList(text string, one func(string) (int64, error)) (list []int64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		ends := strings.Split(word, ":")
		if len(ends) > 3 {
			return nil, fmt.Errorf("found %q, expected FROM:TO or FROM:TO:FACTOR", word)
		}
		from, err := one(ends[0])
		if err != nil {
			return nil, err
		}
		list = append(list, from)
		if len(ends) == 1 {
			continue
		}
		to, err := one(ends[1])
		if err != nil {
			return nil, err
		}
		factor := int64(2)
		if len(ends) == 3 {
			if factor, err = strconv.ParseInt(ends[2], 10, 32); err != nil || factor < 2 {
				return nil, fmt.Errorf("found factor %q in %q, expected a whole number from 2 on", ends[2], word)
			}
		}
		if from < 1 || to < from {
			return nil, fmt.Errorf("found %q, expected a range from 1 on that rises", word)
		}
		for n := from; n <= to/factor; {
			n *= factor
			list = append(list, n)
		}
		list = append(list, to)
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > mostValues {
		return nil, fmt.Errorf("found %d values, expected at most %d", len(list), mostValues)
	}
	return list, nil
}

// unknownWord returns the error of a word that is not one of those known.
func unknownWord(found, word string, known []string) error {
	hint := ""
	if near := config.DidYouMean(word, known); near != "" {
		hint = " (" + near + ")"
	}
	return fmt.Errorf("found %s, expected %s%s", found, config.OneOf(known), hint)
}

// Check returns an error that says what was found and expected in a specification.
func (s *Spec) Check() error {
	names := collective.Names(s.Kind)
	if names == nil {
		var kinds []string
		for _, k := range collective.Kinds() {
			kinds = append(kinds, string(k))
		}
		return unknownWord(fmt.Sprintf("collective %q", s.Kind), string(s.Kind), kinds)
	}
	for _, a := range s.Algorithms {
		if !slices.Contains(names, string(a)) {
			return unknownWord(fmt.Sprintf("algorithm %q of %s", a, s.Kind), string(a), names)
		}
	}
	for _, x := range []struct {
		name  string
		least int
		list  []int
	}{{"segment", 1, s.Segments}, {"fanout", 1, s.Fanouts}, {"radix", 2, s.Radixes}, {"window", 1, s.Windows}} {
		for _, n := range x.list {
			if n < x.least {
				return fmt.Errorf("found %s %d, expected at least %d", x.name, n, x.least)
			}
		}
	}
	return nil
}
