package data

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/record"
)

// CompareSchema is the schema name and version of a Comparison as JSON.
const CompareSchema = "fabricast.compare/1"

// Comparison shows several runs side by side. Lists of values are in the order of the runs.
type Comparison struct {
	Schema     string        `json:"schema"`
	Version    string        `json:"version"`
	Runs       []Compared    `json:"runs"`
	Figures    []FigureOfAll `json:"figures"`
	Experiment []Difference  `json:"experiment"` // fields in which the experiments differ
	Problems   []string      `json:"problems"`
}

// Compared identifies one of the runs.
type Compared struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Hash string `json:"result_hash"` // equal for runs with the same result
}

// FigureOfAll holds the values of one figure in all runs.
type FigureOfAll struct {
	What   string     `json:"what"`
	Unit   string     `json:"unit"`
	Values []*float64 `json:"values"` // null where a run has no such figure
	Ratios []*float64 `json:"ratios"` // to the first run
}

// Difference is a field of the experiments whose values differ.
type Difference struct {
	Field  string   `json:"field"`  // path of the field
	Values []string `json:"values"` // in the order of the runs; empty where the field is not given
}

// Compare compares the results in at least two folders. It fails if a path holds no result of a
// run.
func Compare(paths ...string) (*Comparison, error) {
	r, err := Make(paths...)
	if err != nil {
		return nil, err
	}
	if len(r.Manifest.Runs) != len(paths) {
		return nil, errors.New("found the table of a sweep, expected results of runs")
	}
	c := &Comparison{
		Schema:   CompareSchema,
		Version:  fabricast.FullVersion(),
		Problems: r.Manifest.Problems,
		Figures:  []FigureOfAll{},
	}
	for i, run := range r.Manifest.Runs {
		if run.Summary == nil {
			return nil, fmt.Errorf("%s: the run has left no result, so there is nothing to compare", paths[i])
		}
		x := Compared{Name: run.Name, Path: paths[i]}
		for _, f := range run.Summary.Figures {
			if f.What == hashFigure {
				x.Hash, _ = f.Value.(string)
			}
		}
		c.Runs = append(c.Runs, x)
		c.addSummary(i, run.Summary)
	}
	c.ratios()
	c.Experiment = r.Manifest.Differences
	return c, nil
}

// addSummary adds the figures of a run's summary.
func (c *Comparison) addSummary(run int, s *Summary) {
	part := "of it "
	if s.Divided == MessageLatency {
		part = "latency: "
	}
	c.set(run, s.Time, "ps", float64(s.Predicted))
	for _, p := range s.WhereItWent {
		c.set(run, part+p.What, "ps", float64(p.Time))
	}
	for _, b := range s.Bounds {
		c.set(run, "bound: "+b.What, "ps", float64(b.Time))
	}
	for _, f := range s.Figures {
		if v := reflect.ValueOf(f.Value); v.CanInt() {
			c.set(run, f.What, f.Unit, float64(v.Int()))
		} else if v.CanFloat() {
			c.set(run, f.What, f.Unit, v.Float())
		}
	}
}

// set stores the value of a figure in a run. A new figure is appended to the list.
func (c *Comparison) set(run int, what, unit string, value float64) {
	i := slices.IndexFunc(c.Figures, func(f FigureOfAll) bool { return f.What == what })
	if i < 0 {
		i = len(c.Figures)
		c.Figures = append(c.Figures, FigureOfAll{What: what, Unit: unit})
	}
	f := &c.Figures[i]
	for len(f.Values) <= run {
		f.Values = append(f.Values, nil)
	}
	f.Values[run] = &value
}

// ratios computes the ratio of each figure to that of the first run, and adds null for missing
// values.
func (c *Comparison) ratios() {
	for i := range c.Figures {
		f := &c.Figures[i]
		for len(f.Values) < len(c.Runs) {
			f.Values = append(f.Values, nil)
		}
		f.Ratios = make([]*float64, len(c.Runs))
		first := f.Values[0]
		for run, v := range f.Values {
			if first != nil && *first != 0 && v != nil {
				ratio := *v / *first
				f.Ratios[run] = &ratio
			}
		}
	}
}

// differences lists the fields in which the experiments in the folders differ.
func differences(folders []string) []Difference {
	list := []Difference{}
	index := map[string]int{}
	for run, folder := range folders {
		root, err := config.Load(filepath.Join(folder, record.ExperimentFile))
		if err != nil {
			continue // already listed among the problems
		}
		flatten("", root, func(field, value string) {
			i, ok := index[field]
			if !ok {
				i = len(list)
				index[field] = i
				list = append(list, Difference{field, make([]string, len(folders))})
			}
			list[i].Values[run] = value
		})
	}
	return slices.DeleteFunc(list, func(d Difference) bool {
		return !slices.ContainsFunc(d.Values, func(v string) bool { return v != d.Values[0] })
	})
}

// flatten calls visit for each field of a YAML document, with its path and its value.
func flatten(path string, n *config.Node, visit func(field, value string)) {
	if n.Kind != config.Mapping {
		visit(path, n.Flow())
		return
	}
	for _, f := range n.Fields {
		name := f.Key
		if path != "" {
			name = path + "." + name
		}
		flatten(name, f.Value, visit)
	}
}
