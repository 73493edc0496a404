package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Values of flags that are numbers. A flag refuses what is out of its bounds when it is parsed, so
// that no command has to look at it again; a test gives senseless numbers to the flags of all
// commands.

// limits is the value of a flag that says what it accepts.
type limits interface{ expected() string }

// errBounds is the error of values out of bounds; the message is that of flagError.
var errBounds = errors.New("out of bounds")

// countFlag is a whole number. Its default, which may be out of its bounds, stands for a flag that is
// not given.
type countFlag struct {
	n           *int
	least, most int
}

// count adds a flag that is a number of at least least.
func count(flags *pflag.FlagSet, n *int, name string, least int, usage string) {
	countUpTo(flags, n, name, least, math.MaxInt32, usage)
}

// countUpTo adds a flag that is a number from least to most. Its default is what n is.
func countUpTo(flags *pflag.FlagSet, n *int, name string, least, most int, usage string) {
	flags.Var(countFlag{n, least, most}, name, usage)
}

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

func (f countFlag) expected() string {
	if f.most == math.MaxInt32 {
		return fmt.Sprintf("a number of at least %d", f.least)
	}
	return fmt.Sprintf("a number from %d to %d", f.least, f.most)
}

// listFlag is a list of numbers from 0 on, with commas between. It may be given repeatedly.
type listFlag struct{ list *[]int }

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

// floatFlag is a number with a fraction, above over (or equal to it, if equal is set) and up to most.
type floatFlag struct {
	v          *float64
	over, most float64
	equal      bool
}

// Bounds of factors, and of the operations of a rank in a second.
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

func (f floatFlag) expected() string {
	if f.equal {
		return fmt.Sprintf("a number from %g to %g", f.over, f.most)
	}
	return fmt.Sprintf("a number above %g, up to %g", f.over, f.most)
}

// factor is a flag that multiplies something.
func factor(v *float64) floatFlag { return floatFlag{v: v, most: mostFactor} }

// operationsFlag adds the flag for traces that count operations.
func operationsFlag(flags *pflag.FlagSet, v *float64, usage string) {
	flags.Var(floatFlag{v: v, most: mostOperations}, "operations", usage)
}
