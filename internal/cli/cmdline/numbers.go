package cmdline

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"fabricast/internal/input"
	"fabricast/trace"
)

// Values of numeric flags. A flag rejects out-of-range values when it is parsed, so that no command
// has to check them again. A test passes out-of-range numbers to the flags of all commands.

// limits is a flag value that can describe its accepted values.
type limits interface{ expected() string }

// errBounds is the error for out-of-range values; FlagError adds the message.
var errBounds = errors.New("out of bounds")

// countFlag is an integer flag value. Its default may be out of range, to indicate that the flag is
// not given.
type countFlag struct {
	n           *int
	least, most int
}

// Count adds a flag for an integer with the minimum `least`.
func Count(flags *pflag.FlagSet, n *int, name string, least int, usage string) {
	flags.Var(CountOf(n, least), name, usage)
}

// CountUpTo adds a flag for an integer from least to most. Its default is the current value of n.
func CountUpTo(flags *pflag.FlagSet, n *int, name string, least, most int, usage string) {
	flags.Var(countFlag{n, least, most}, name, usage)
}

// CountOf returns the value of a flag for an integer with the minimum `least`.
func CountOf(n *int, least int) countFlag { return countFlag{n, least, math.MaxInt32} }

// Set implements pflag.Value.
func (f countFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < f.least || n > f.most {
		return errBounds
	}
	*f.n = n
	return nil
}

func (f countFlag) String() string {
	if f.n == nil {
		return "0"
	}
	return strconv.Itoa(*f.n)
}

// Type returns the name of the value's type for the command's help.
func (countFlag) Type() string { return "int" }

// allFlag is a flag value: a number from 0 on, or all.
type allFlag struct {
	n   *int
	all int
}

// CountOrAll adds a flag for a number from 0 on, or the word all, which stands for the number `all`.
func CountOrAll(flags *pflag.FlagSet, n *int, all int, name, usage string) {
	flags.Var(allFlag{n, all}, name, usage)
}

// Set implements pflag.Value.
func (f allFlag) Set(text string) error {
	if text == wordAll {
		*f.n = f.all
		return nil
	}
	return CountOf(f.n, 0).Set(text)
}

const wordAll = "all"

func (f allFlag) String() string {
	if f.n != nil && *f.n == f.all {
		return wordAll
	}
	return CountOf(f.n, 0).String()
}

// Type returns the name of the value's type for the command's help.
func (allFlag) Type() string { return "int|all" }

func (allFlag) expected() string { return "a number of at least 0, or all" }

func (f countFlag) expected() string {
	if f.most == math.MaxInt32 {
		return fmt.Sprintf("a number of at least %d", f.least)
	}
	return fmt.Sprintf("a number from %d to %d", f.least, f.most)
}

// listFlag is a flag value: a comma-separated list of non-negative integers. The flag may be
// repeated.
type listFlag struct{ list *[]int }

// ListOf returns the value of a flag that appends to a list.
func ListOf(list *[]int) listFlag { return listFlag{list} }

// Set implements pflag.Value.
func (f listFlag) Set(text string) error {
	var list []int
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 || n > math.MaxInt32 {
			return errBounds
		}
		list = append(list, n)
	}
	*f.list = append(*f.list, list...)
	return nil
}

func (f listFlag) String() string {
	if f.list == nil {
		return ""
	}
	return strings.Trim(fmt.Sprint(*f.list), "[]")
}

// Type returns the name of the value's type for the command's help.
func (listFlag) Type() string { return "ints" }

func (listFlag) expected() string { return "numbers from 0 on, such as 5,6" }

// floatFlag is a flag value: a number above `over`, or also equal to it if equal is set, up to
// most.
type floatFlag struct {
	v          *float64
	over, most float64
	equal      bool
}

// Maximum values of factors, and of the operations per second of a rank.
const (
	mostFactor     = 1e6
	mostOperations = 1e18
)

func (f floatFlag) fits(v float64) bool {
	return (v > f.over || f.equal && v == f.over) && v <= f.most // false for NaN
}

// Set implements pflag.Value.
func (f floatFlag) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !f.fits(v) {
		return errBounds
	}
	*f.v = v
	return nil
}

func (f floatFlag) String() string {
	if f.v == nil {
		return "0"
	}
	return strconv.FormatFloat(*f.v, 'g', -1, 64)
}

// Type returns the name of the value's type for the command's help.
func (floatFlag) Type() string { return "float" }

func (f floatFlag) Expected() string {
	if f.equal {
		return fmt.Sprintf("a number from %g to %g", f.over, f.most)
	}
	return fmt.Sprintf("a number above %g, up to %g", f.over, f.most)
}

// Factor returns the value of a flag for a positive factor.
func Factor(v *float64) floatFlag { return floatFlag{v: v, most: mostFactor} }

// UpTo returns the value of a flag for a number from 0 to most.
func UpTo(v *float64, most float64) floatFlag { return floatFlag{v: v, most: most, equal: true} }

// Operations is the value of the flag --operations, for traces that count operations. It holds
// comma-separated rates, or file: and the path of a file with one rate per line. The file is read
// when the trace is opened.
type Operations struct{ Text string }

// OperationsFlag adds the flag --operations.
func OperationsFlag(flags *pflag.FlagSet, v *Operations) {
	flags.Var(v, "operations", "how many operations a rank computes in a second, of a trace that counts "+
		"them, such as 2.5e9; several with commas between, or on the lines of file:PATH, are for "+
		"ranks in turn (default 1e9)")
}

// Set implements pflag.Value.
func (o *Operations) Set(text string) error {
	o.Text = text
	if o.file() == "" {
		_, err := o.Rates()
		return err
	}
	return nil
}

// file returns the name of the file with the rates; "" if there is none.
func (o *Operations) file() string {
	path, _ := strings.CutPrefix(o.Text, ratesFile)
	if path == o.Text {
		return ""
	}
	return path
}

const ratesFile = "file:"

// Rates returns the computation rates; nil if the flag is not given.
func (o *Operations) Rates() (trace.Rates, error) {
	if o.Text == "" {
		return nil, nil
	}
	path := o.file()
	if path == "" {
		return ratesOf(strings.Split(o.Text, ","), func(int, string) error { return errBounds })
	}
	text, err := input.Text(path, input.Rates)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return ratesOf(lines, func(i int, found string) error {
		return fmt.Errorf("%s:%d: found %q, expected %s", path, i+1, found, rateExpected)
	})
}

// ratesOf parses rates. wrong returns the error for an invalid rate.
func ratesOf(words []string, wrong func(i int, found string) error) (rates trace.Rates, err error) {
	for i, word := range words {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(v > 0 && v <= mostOperations) {
			return nil, wrong(i, word)
		}
		rates = append(rates, v)
	}
	return rates, nil
}

var rateExpected = fmt.Sprintf("a number above 0, up to %g", float64(mostOperations))

func (o *Operations) String() string { return o.Text }

// Type returns the name of the value's type for the command's help.
func (*Operations) Type() string { return "rates" }

func (*Operations) expected() string {
	return rateExpected + ", several with commas between, or " + ratesFile + "PATH"
}
