package collective

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/node"
)

// Option describes a numeric option of an algorithm, which follows its name as in
// chain/segment=64KiB/fanout=2.
type Option struct {
	Name    string
	Summary string // one line
	Unit    string // "bytes", or empty for a plain number
	Default int    // if it is not given
	Least   int    // the smallest value that it may have
}

// optionMark separates the options of an algorithm from its name and from each other.
const optionMark = "/"

// values holds the options of an algorithm, in the order of Info.Options.
type values [maxOptions]int

const maxOptions = 2

// OptionsPattern returns a regular expression for an algorithm's name followed by options.
func OptionsPattern(k Kind) string {
	var all []string
	for _, info := range Algorithms(k) {
		var names []string
		for _, o := range info.Options {
			names = append(names, o.Name)
		}
		if len(names) > 0 {
			all = append(all, fmt.Sprintf("%s(/(%s)=[^/]+)+", info.Name, strings.Join(names, "|")))
		}
	}
	if len(all) == 0 {
		return "^$"
	}
	return "^(" + strings.Join(all, "|") + ")$"
}

// values reads the options that are given in a text such as segment=64KiB/fanout=2; the others have
// their defaults. The error names the option, what was found and what was expected.
func (i *Info) values(text string) (v values, err error) {
	for at, o := range i.Options {
		v[at] = o.Default
	}
	for text != "" {
		var one string
		one, text, _ = strings.Cut(text, optionMark)
		name, value, _ := strings.Cut(one, "=")
		at := i.option(name)
		if at < 0 {
			return v, i.noOption(name)
		}
		if v[at], err = i.Options[at].read(value); err != nil {
			return v, err
		}
	}
	return v, nil
}

// option returns the place of an option among Options, -1 if there is none of that name.
func (i *Info) option(name string) int {
	for at := range i.Options {
		if i.Options[at].Name == name {
			return at
		}
	}
	return -1
}

func (i *Info) noOption(name string) error {
	if len(i.Options) == 0 {
		return fmt.Errorf("found option %q, expected none", name)
	}
	var names []string
	for _, o := range i.Options {
		names = append(names, o.Name)
	}
	return fmt.Errorf("found option %q, expected %s", name, config.OneOf(names))
}

// read returns the value that a text gives to an option.
func (o *Option) read(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && o.Unit == "bytes" {
		var b units.Bytes
		b, err = units.ParseBytes(text)
		n = int64(b)
	}
	if err != nil || n < int64(o.Least) || n > math.MaxInt32 {
		what := "a number"
		if o.Unit == "bytes" {
			what = "a size such as 64KiB,"
		}
		return 0, fmt.Errorf(
			"found %s=%q, expected %s from %d to %d", o.Name, text, what, o.Least, math.MaxInt32,
		)
	}
	return int(n), nil
}

// optionSegment is the name of the option that segmentOption describes.
const optionSegment = "segment"

// segmentOption returns the option for the size, in bytes, of the pieces into which a message is
// divided; 0 means one piece.
func segmentOption(size int) Option {
	return Option{
		Name: optionSegment, Unit: "bytes", Default: size,
		Summary: "a message travels in pieces of so many bytes; 0: as a whole",
	}
}

// radixOption describes the option for the number k of a k-nomial tree.
var radixOption = Option{
	Name: "radix", Default: 4, Least: 2, Summary: "a rank sends to one less than so many others in a round",
}

// chainsOption describes the option for the number of chains below the root.
var chainsOption = Option{Name: "fanout", Default: 4, Least: 1, Summary: "chains below the root"}

// windowOption returns the option for the number of messages in progress at the same time.
func windowOption(n int) Option {
	return Option{
		Name: "window", Default: n, Least: 1,
		Summary: "messages that a rank sends, and receives, at once",
	}
}

// segments is a message divided into pieces.
type segments struct {
	whole, size int // bytes; size is that of every piece but the last
}

// newSegments divides a message of n bytes into pieces of about size bytes, each of whole elements
// of elem bytes. If size is 0 there is one piece.
func newSegments(n, size, elem int) segments {
	if size <= 0 || size > n {
		return segments{n, n}
	}
	return segments{n, max(size/elem*elem, elem)}
}

// count returns the number of pieces, at least one.
func (s segments) count() int {
	if s.size == 0 {
		return 1
	}
	return (s.whole + s.size - 1) / s.size
}

// of returns piece i of a buffer of the message.
func (s segments) of(b node.Buf, i int) node.Buf {
	return part(b, i*s.size, min((i+1)*s.size, s.whole))
}
