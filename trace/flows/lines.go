package flows

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"

	"fabricast/internal/input"
	"fabricast/internal/units"
	"fabricast/trace"
)

// Lines reads the lines of a flow file.
type Lines struct{ *trace.Lines }

// longest is the number of MiB of a line at most.
const longest = 1

// Open opens a flow file. In a folder it is the only file whose name matches the pattern.
func Open(path, pattern string) (*Lines, error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if path, err = only(path, pattern); err != nil {
			return nil, err
		}
	}
	return &Lines{trace.NewLines(path, longest)}, nil
}

// only returns the path of the only file in a folder whose name matches a pattern.
func only(folder, pattern string) (string, error) {
	entries, err := trace.Files(folder)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		if match, _ := filepath.Match(pattern, e.Name()); match {
			found = append(found, e.Name())
		}
	}
	if len(found) == 1 {
		return filepath.Join(folder, found[0]), nil
	}
	return "", &trace.Error{
		File: folder, What: "flow file", Found: cmp.Or(strings.Join(found, ", "), "none"),
		Expected: "one file with a name like " + pattern,
	}
}

// Whole parses an integer from least to most. what is the name of its field.
func (l *Lines) Whole(what, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, l.Fail(what, trace.Quoted(text),
			fmt.Sprintf("a whole number from %d to %d", least, most))
	}
	return n, nil
}

// Time parses a number as a time in a unit, and rounds it to ps. what is the name of its field.
func (l *Lines) Time(what, text string, unit units.Time) (int64, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0) || value*float64(unit) > MaxTime || len(text) > 64 ||
		strings.ContainsAny(text, "xX_") {
		most, symbol := int64(MaxTime)/int64(unit), strings.TrimPrefix(unit.String(), "1")
		return 0, l.Fail(what, trace.Quoted(text), fmt.Sprintf("a time from 0 to %d %s", most, symbol))
	}
	// an exponent may be too large for a Rat
	exact, decimal := new(big.Rat), !strings.ContainsAny(text, "eE")
	if decimal {
		_, decimal = exact.SetString(text)
	}
	if !decimal {
		return int64(math.Round(value * float64(unit))), nil
	}
	exact.Mul(exact, big.NewRat(int64(unit), 1)).Add(exact, big.NewRat(1, 2))
	return new(big.Int).Quo(exact.Num(), exact.Denom()).Int64(), nil
}
