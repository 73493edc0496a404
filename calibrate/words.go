package calibrate

import (
	"cmp"
	"fmt"
	"slices"
)

// better is the cost, as a share of the current cost, that a discrete setting must undercut to be
// adopted.
const better = 0.9

// words fits the discrete parameters: copies through a buffer, and, among the measured sizes, the
// eager limit and the size above which setup counts.
func (f *fit) words(c *Calibration, result *Result) error {
	if f.routerless {
		return nil
	}
	if c.fits(copiesName) {
		if err := f.choose(
			copiesName, "memory", []string{"node.copies=zero", "node.copies=one"}, result,
		); err != nil {
			return err
		}
	}
	for _, word := range []struct{ name, field string }{
		{eagerName, "node.protocol.eager"}, {aboveName, "node.protocol.setup_above"},
	} {
		if !c.fits(word.name) {
			continue
		}
		sizes := f.sizes()
		if len(sizes) < 4 {
			result.Parameters = append(result.Parameters, Found{
				Name: word.name, Fields: []string{word.field}, Value: "as in the file",
				Note: "there are less than four sizes",
			})
			continue
		}
		var sets []string
		for _, n := range sizes[:len(sizes)-1] {
			sets = append(sets, fmt.Sprintf("%s=%dB", word.field, n))
		}
		if err := f.choose(word.name, "setup", sets, result); err != nil {
			return err
		}
	}
	return nil
}

// sizes returns the measured sizes in ascending order.
func (f *fit) sizes() (sizes []int64) {
	for _, m := range f.list {
		sizes = append(sizes, m.Size)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// tried is a setting together with the fit that it leads to.
type tried struct {
	set  string
	fit  fit
	cost float64
}

// refitted is the number of settings that are fitted completely: those with the lowest cost before
// fitting.
const refitted = 3

// choose adopts the setting with the lowest cost if it is clearly better than that of the file. The
// parameter called `with`, which was excluded if the file has no such setting, is then included in
// the fit.
func (f *fit) choose(name, with string, sets []string, result *Result) error {
	before := f.cost(f.residual, f.x, 1)
	var list []tried
	for _, set := range sets {
		f.reports(f.state() + " " + set)
		t := *f
		t.fixed = append(slices.Clone(f.fixed), set)
		t.unpark(with)
		r, err := t.at(t.x)
		if err != nil {
			return err
		}
		list = append(list, tried{set, t, t.cost(r, t.x, 1)})
	}
	byCost := func(a, b tried) int { return cmp.Compare(a.cost, b.cost) }
	slices.SortStableFunc(list, byCost)
	list = list[:min(refitted, len(list))]
	for i := range list {
		t := &list[i]
		if err := t.fit.search(); err != nil {
			return err
		}
		t.cost = t.fit.cost(t.fit.residual, t.fit.x, 1)
	}
	slices.SortStableFunc(list, byCost)
	path, value := field(list[0].set)
	found := Found{
		Name: name, Fields: []string{path}, Value: "as in the file",
		Note: "no other is better by more than a tenth of the squares",
	}
	if list[0].cost < better*before {
		*f = list[0].fit
		found.Value, found.Determined, found.Note = value, true, ""
	}
	result.Parameters = append(result.Parameters, found)
	return nil
}
