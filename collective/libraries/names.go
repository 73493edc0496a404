package libraries

import (
	"strconv"
	"strings"

	"fabricast/collective"
)

// parts is an algorithm with its options, as numbers.
type parts struct {
	name                           collective.Algorithm
	segment, fanout, radix, window int
}

// partsOf divides the name of an algorithm. Options that are not given have their defaults.
func partsOf(kind collective.Kind, a collective.Algorithm) parts {
	info := collective.InfoOf(kind, a)
	p := parts{name: info.Name}
	values, _ := collective.OptionsOf(kind, a)
	for i, o := range info.Options {
		switch o.Name {
		case collective.OptionSegment:
			p.segment = values[i]
		case "fanout":
			p.fanout = values[i]
		case "radix":
			p.radix = values[i]
		case "window":
			p.window = values[i]
		}
	}
	return p
}

// algorithm puts a name and options together. Options that the algorithm does not have are left out,
// and so are those with their defaults.
func (p parts) algorithm(kind collective.Kind) collective.Algorithm {
	var b strings.Builder
	b.WriteString(string(p.name))
	for _, o := range collective.InfoOf(kind, p.name).Options {
		n := map[string]int{collective.OptionSegment: p.segment, "fanout": p.fanout, "radix": p.radix, "window": p.window}[o.Name]
		if n >= o.Least && n != o.Default {
			b.WriteString(collective.OptionMark + o.Name + "=" + strconv.Itoa(n))
		}
	}
	return collective.Algorithm(b.String())
}

// sizeOf says by which size a library's rules for a collective choose.
type sizeOf int

const (
	ofBuffer sizeOf = iota // that of tables.Call
	ofAll                  // that of all ranks' blocks together
	ofNone                 // none
)

// factor returns by what a size is multiplied on a number of ranks; 0 if rules know no sizes.
func (s sizeOf) factor(ranks int) int64 {
	switch s {
	case ofAll:
		return int64(ranks)
	case ofNone:
		return 0
	}
	return 1
}

// word returns the figure of a condition that has the size.
func (s sizeOf) word() string {
	if s == ofAll {
		return "total"
	}
	return "bytes"
}
