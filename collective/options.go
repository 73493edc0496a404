package collective

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
)

// Option describes an option of an algorithm, which follows its name as in
// chain/segment=64KiB/fanout=2.
type Option struct {
	Name    string
	Summary string   // description in one line
	Unit    string   // unit of the value: "bytes", or empty for a plain number
	Default int      // value if not given
	Least   int      // minimum value of one that is given
	Words   []string // names of the values, from 0 on, in place of numbers; nil: numbers
}

// OptionMark separates the options of an algorithm from its name and from each other.
const OptionMark = "/"

// Values holds the options of an algorithm, in the order of Info.Options.
type Values [maxOptions]int

const maxOptions = 10

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

// values parses the options in a text such as segment=64KiB/fanout=2. Missing options get their
// defaults. The error names the option, the value found and the value expected.
func (i *Info) values(text string) (v Values, err error) {
	for at, o := range i.Options {
		v[at] = o.Default
	}
	for text != "" {
		var one string
		one, text, _ = strings.Cut(text, OptionMark)
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

// OptionsOf returns the values of an algorithm's options, in the order of Info.Options, with defaults
// for those that its name does not give.
func OptionsOf(k Kind, a Algorithm) (Values, error) {
	info := InfoOf(k, a)
	if info == nil {
		return Values{}, fmt.Errorf("%s: no algorithm %q", k, a)
	}
	_, options, _ := strings.Cut(string(a), OptionMark)
	return info.values(options)
}

// Canonical returns the name of an algorithm with those of its options that do not have their
// defaults, in the order of Info.Options. An algorithm that the collective does not have is returned
// unchanged, and Default becomes the name of the collective's default.
func (a Algorithm) Canonical(k Kind) Algorithm {
	if a == Default {
		return Algorithms(k)[0].Name
	}
	values, err := OptionsOf(k, a)
	if err != nil {
		return a
	}
	info := InfoOf(k, a)
	name := info.Name
	for i, o := range info.Options {
		if values[i] != o.Default {
			name += Algorithm(OptionMark + o.Name + "=" + o.Text(values[i]))
		}
	}
	return name
}

// option returns the index of an option in Options, or -1 if there is none of that name.
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

// Text returns a value as it is written in a name.
func (o *Option) Text(value int) string {
	if value >= 0 && value < len(o.Words) {
		return o.Words[value]
	}
	return strconv.Itoa(value)
}

// read parses the value of an option.
func (o *Option) read(text string) (int, error) {
	if o.Words != nil {
		if i := slices.Index(o.Words, text); i >= 0 {
			return i, nil
		}
		return 0, fmt.Errorf("found %s=%q, expected %s", o.Name, text, config.OneOf(o.Words))
	}
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

// OptionSegment is the name of the option that SegmentOption describes.
const OptionSegment = "segment"
