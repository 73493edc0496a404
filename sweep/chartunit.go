package sweep

import (
	"math"
	"strings"

	"fabricast/internal/units"
	"fabricast/plot"
)

// chartUnit is a unit for an axis of a chart. size is its value in base units.
type chartUnit struct {
	name string
	size float64
}

var (
	chartTimes = []chartUnit{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}
	chartSizes = []chartUnit{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}
	chartRates = []chartUnit{{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}}
)

// suffixes maps suffixes of column names to the units in which the column can be shown.
var suffixes = []struct {
	text  string
	units []chartUnit
}{{"_bytes_per_s", chartRates}, {"_bytes", chartSizes}, {"_ps", chartTimes}}

// scaled chooses a unit for a chart axis that has no title of its own and whose expression is a
// single quantity. It divides all numbers on the axis by the unit, and adds the unit to the title.
// of returns pointers to a point's numbers on the axis.
func (d *drawing) scaled(
	axis *plot.Axis,
	expression, title string,
	series []plot.Series,
	of func(*plot.Point) []*float64,
) {
	name, list := d.unitsOf(expression)
	if title != "" || list == nil {
		return
	}
	unit := choose(list, axis.Log, series, of)
	axis.Title = name + " (" + unit.name + ")"
	axis.Min, axis.Max = axis.Min/unit.size, axis.Max/unit.size
	for _, s := range series {
		for i := range s.Points {
			for _, v := range of(&s.Points[i]) {
				*v /= unit.size
			}
		}
	}
}

// unitsOf returns the name, in words, of a figure or sweep axis, and the units in which it can be
// shown. The list is nil if the expression is neither, or has no unit.
func (d *drawing) unitsOf(expression string) (name string, list []chartUnit) {
	for _, s := range suffixes {
		if name, ok := strings.CutSuffix(expression, s.text); ok && !strings.ContainsFunc(name, notInName) {
			return strings.ReplaceAll(name, "_", " "), s.units
		}
	}
	if i := d.table.file.axis(expression); i >= 0 {
		return expression, unitsOfValues(d.table.file.Axes[i].values())
	}
	return "", nil
}

func notInName(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' }

// unitsOfValues returns the possible units of an axis whose values are all quantities of one kind;
// otherwise nil.
func unitsOfValues(values []Value) []chartUnit {
	for _, kind := range []struct {
		parses func(string) bool
		units  []chartUnit
	}{
		{func(text string) bool { _, err := units.ParseTime(text); return err == nil }, chartTimes},
		{func(text string) bool { _, err := units.ParseBytes(text); return err == nil }, chartSizes},
		{func(text string) bool { _, err := units.ParseRate(text); return err == nil }, chartRates},
	} {
		all := len(values) > 0
		for _, v := range values {
			all = all && kind.parses(v.Label)
		}
		if all {
			return kind.units
		}
	}
	return nil
}

// choose returns the largest unit that does not exceed the maximum value. On a logarithmic axis, it
// uses the geometric mean of the minimum and maximum instead of the maximum.
func choose(list []chartUnit, log bool, series []plot.Series, of func(*plot.Point) []*float64) chartUnit {
	least, most := math.Inf(1), 0.0
	for _, s := range series {
		for i := range s.Points {
			if v := math.Abs(*of(&s.Points[i])[0]); v > 0 && !math.IsInf(v, 0) {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	if log && most > 0 {
		most = math.Sqrt(least) * math.Sqrt(most)
	}
	unit := list[0]
	for _, u := range list[1:] {
		if u.size <= most {
			unit = u
		}
	}
	return unit
}
