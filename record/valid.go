package record

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"fabricast/internal/parquet"
)

// class is the type of the values of a column: integers, fractions or text.
type class string

const (
	wholes    class = "whole numbers"
	fractions class = "fractions"
	texts     class = "text"
)

func classOf(k parquet.Kind) class {
	switch k {
	case parquet.Int32, parquet.Int64:
		return wholes
	case parquet.Float, parquet.Double:
		return fractions
	case parquet.Text:
		return texts
	}
	return "values of another type"
}

func described(c *parquet.Column) string {
	if c.Optional {
		return string(classOf(c.Kind)) + " that may be missing"
	}
	return string(classOf(c.Kind))
}

// validColumn describes the type and permitted values of a column.
type validColumn struct {
	name  string
	class class
	bits  int    // size of integers
	holds string // the value of the tag holds, without "or none"
	none  bool   // -1 is valid, and means none
}

func columnOf(f reflect.StructField) validColumn {
	c := validColumn{class: texts}
	c.name, _, _ = strings.Cut(f.Tag.Get("parquet"), ",")
	c.holds, c.none = strings.CutSuffix(f.Tag.Get("holds"), " or none")
	switch f.Type.Kind() {
	case reflect.String:
	case reflect.Float32, reflect.Float64:
		c.class = fractions
	default:
		c.class, c.bits = wholes, f.Type.Bits()
	}
	return c
}

// check returns a function that checks the values of the column; nil if all values are valid.
func (c validColumn) check(r *Reader) parquet.Check {
	switch {
	case c.class == texts && c.holds == "":
		return nil
	case c.class == texts:
		return words(strings.Fields(c.holds)[1:])
	case c.class == fractions:
		return numbers(c.holds == "any")
	case c.holds == "row":
		return rowNumbers
	}
	least, most := int64(0), min(mostNumber, math.MaxInt64>>(64-c.bits))
	switch {
	case c.holds == "any":
		least, most = math.MinInt64>>(64-c.bits), math.MaxInt64>>(64-c.bits)
	case c.none:
		least = -1
	}
	return between(least, min(most, r.known(c.holds, c.name)-1))
}

// Maximum valid values of integers and of fractions. mostNumber is above all simulated times, and
// the sum of two times does not overflow.
const (
	mostNumber   int64 = 1 << 62
	mostFraction       = 1e18
)

func between(least, most int64) parquet.Check {
	return func(row int64, v *parquet.Values) error {
		for i, x := range v.Ints {
			if x < least || x > most {
				return fmt.Errorf(
					"row %d: found %d, expected a whole number from %d to %d",
					row+int64(i), x, least, most,
				)
			}
		}
		return nil
	}
}

func rowNumbers(row int64, v *parquet.Values) error {
	for i, x := range v.Ints {
		if x != row+int64(i) {
			return fmt.Errorf("row %d: found %d, expected the number of the row", row+int64(i), x)
		}
	}
	return nil
}

func numbers(negative bool) parquet.Check {
	least := 0.0
	if negative {
		least = -mostFraction
	}
	return func(row int64, v *parquet.Values) error {
		for i, x := range v.Floats {
			if !(x >= least && x <= mostFraction) { // false for NaN, too
				return fmt.Errorf(
					"row %d: found %g, expected a number from %g to %g",
					row+int64(i), x, least, mostFraction,
				)
			}
		}
		return nil
	}
}

func words(known []string) parquet.Check {
	return func(row int64, v *parquet.Values) error {
		for i, s := range v.Texts {
			if !slices.Contains(known, s) {
				return fmt.Errorf(
					"row %d: found %.40q, expected one of %s",
					row+int64(i), s, strings.Join(known, ", "),
				)
			}
		}
		return nil
	}
}

// known returns the exclusive upper bound of the values of a column. holds is the value of its tag:
// for "router", for example, the bound is the number of routers in the folder. It returns
// math.MaxInt64 if the bound is unknown.
func (r *Reader) known(holds, column string) int64 {
	const unknown = math.MaxInt64
	switch holds {
	case "link":
		return r.rows(LinksTable)
	case "router":
		return r.rows(RoutersTable)
	case "nic": // and hosts: each has at least one NIC
		return r.rows(NICsTable)
	case "rank":
		return r.rows(RanksTable)
	case "bin":
		if b := r.Bins(); b != nil && r.state != Running { // during a run, tables may have more bins than bins.json
			return int64(b.Count)
		}
	case "coordinate":
		dimension := int(column[len(column)-1] - '0')
		switch {
		case r.network == nil:
			return r.rows(RoutersTable)
		case dimension < len(r.network.Dims):
			return int64(r.network.Dims[dimension])
		}
		return 0
	}
	return unknown
}

// rows returns the number of rows of a table; math.MaxInt64 if it cannot be opened.
func (r *Reader) rows(table string) int64 {
	t, err := openTable(r.Path(table), table)
	if err != nil {
		return math.MaxInt64
	}
	defer t.Close()
	return t.NumRows()
}

// checkNetwork returns an error if n, the contents of a network.json, lacks a field that is needed
// to draw the network, or has a value out of range. n may be nil.
func checkNetwork(n *Network) error {
	if n == nil {
		return nil
	}
	for _, c := range []struct {
		name  string
		count int64
	}{
		{"routers", int64(n.Routers)},
		{"hosts", int64(n.Hosts)},
		{"nics", int64(n.NICs)},
		{"links", int64(n.Links)},
		{"groups", int64(n.Groups)},
		{"group_routers", int64(n.GroupSize)},
		{"vcs", int64(n.VCs)},
		{"buffer_bytes", n.Buffer},
	} {
		if c.count < 0 || c.count > mostNumber {
			return fmt.Errorf("%s: found %d, expected a number from 0 on", c.name, c.count)
		}
	}
	left := int64(n.Routers)
	for i, d := range n.Dims {
		if d < 1 || int64(d) > left {
			return fmt.Errorf(
				"dims[%d]: found %d, expected sizes of which the product is at most the number of "+
					"routers, %d",
				i, d, n.Routers,
			)
		}
		left /= int64(d)
	}
	if len(n.Dims) > Coordinates {
		return fmt.Errorf("dims: found %d dimensions, expected at most %d", len(n.Dims), Coordinates)
	}
	for _, c := range []struct {
		name  string
		count int
	}{{"wrap", len(n.Wrap)}, {"dimension_names", len(n.Dimensions)}} {
		if c.count > len(n.Dims) {
			return fmt.Errorf(
				"%s: found %d, expected at most one for each of %d dimensions",
				c.name, c.count, len(n.Dims),
			)
		}
	}
	if err := checkNetwork(n.Block); err != nil {
		return fmt.Errorf("block.%w", err)
	}
	if err := checkNetwork(n.Outer); err != nil {
		return fmt.Errorf("outer.%w", err)
	}
	return nil
}

// check returns an error if times, counts or names in bins.json are out of range.
func (b *Bins) check() error {
	switch {
	case b.Interval < 1 || b.Interval > mostNumber:
		return fmt.Errorf("interval_ps: found %d, expected a time of at least 1", b.Interval)
	case b.Count < 0 || int64(b.Count) > math.MaxInt32 || int64(b.Count) > mostNumber/b.Interval+1:
		return fmt.Errorf("count: found %d, expected a number of bins of %d ps", b.Count, b.Interval)
	case b.End < 0 || b.End > mostNumber:
		return fmt.Errorf("end_ps: found %d, expected a time", b.End)
	}
	for i, part := range b.Parts {
		if filepath.Dir(filepath.FromSlash(part)) != partsFolder {
			return fmt.Errorf("parts[%d]: found %.100q, expected a file in %s", i, part, partsFolder)
		}
	}
	return nil
}
