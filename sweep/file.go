package sweep

import (
	"path/filepath"
	"strconv"
	"strings"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/internal/filename"
)

// File describes a sweep (docs/sweeps.md).
type File struct {
	Title      string              `yaml:"title"`
	Base       string              `yaml:"base"`       // an experiment file, relative to this one
	Experiment *fabricast.Fragment `yaml:"experiment"` // or the experiment itself
	Axes       []Axis              `yaml:"axes"`
	// a condition: points at which it is false are omitted
	Only string `yaml:"only"`
	// Large is a condition: points at which it is true run only if requested.
	Large string `yaml:"large"`
	// Weight is an expression: the expected effort of a point, relative to other points.
	Weight string `yaml:"weight"`
	// Isolated runs each point in a separate process, so that the CPU time and memory in its result
	// cover that point alone.
	Isolated bool `yaml:"isolated"`
	// Refused makes rows of points whose experiments are refused, for example because a model does
	// not fit into memory. Otherwise they end the sweep before it begins.
	Refused   bool        `yaml:"refused"`
	Columns   []Column    `yaml:"columns"`
	Plots     []Plot      `yaml:"plots"`
	Reference []Reference `yaml:"reference"`
	Findings  []Finding   `yaml:"findings"`
	Quick     Quick       `yaml:"quick"`

	path      string
	positions config.Positions
}

// Column is a column of the table.
type Column struct {
	Name string `yaml:"name" scalar:"true"`
	// an expression over axes and figures; default: the figure of that name
	Value string `yaml:"value"`
	// At selects another row for this column: the row with the named axis values, and this row's
	// values of all other axes.
	At map[string]string `yaml:"at"`
}

// Quick is a smaller version of the sweep for tests. Its fields override those of the experiment,
// and its axes replace those of the same name.
type Quick struct {
	Set  map[string]*fabricast.Fragment `yaml:"set"`
	Axes []Axis                         `yaml:"axes"`
	Only string                         `yaml:"only"`
}

// Open reads a sweep file. The error is a *fabricast.ConfigError that lists all problems.
func Open(path string) (*File, error) {
	root, err := config.Load(path)
	if err != nil {
		return nil, fabricast.NewConfigError(err)
	}
	return Of(root, path)
}

// New returns a sweep that no file describes: an experiment at the values of axes. Relative paths in
// the experiment are resolved against the folder of path, and messages name it. columns are the
// columns of its table, and weight is as in File.Weight.
func New(path string, experiment *fabricast.Fragment, axes []Axis, columns []Column, weight string) (*File, error) {
	f := &File{path: path, Experiment: experiment, Axes: axes, Columns: columns, Weight: weight}
	return f, fabricast.NewConfigError(f.check().OrNil())
}

// Of is like Open, for a file that has already been parsed.
func Of(root *fabricast.Fragment, path string) (*File, error) {
	if err := kindOf(root); err != nil {
		return nil, err
	}
	f := &File{path: path}
	var problems config.Problems
	f.positions, problems = config.Decode(root, f)
	if len(problems) == 0 {
		problems = f.check()
	}
	return f, fabricast.NewConfigError(problems.OrNil())
}

// kindOf returns an error if the file is an experiment rather than a sweep.
func kindOf(root *config.Node) error {
	if fabricast.IsSweep(root) || config.Get(root, "network") == nil {
		return nil
	}
	problem := config.Problem{
		Position: root.Position, Found: "an experiment", Expected: "a sweep: base or experiment, and axes",
		Hint: "fabricast run FILE runs an experiment",
	}
	return fabricast.NewConfigError(config.Problems{problem})
}

// check returns the problems that can be found without the experiment.
func (f *File) check() config.Problems {
	var problems config.Problems
	fail := func(field, found, expected, hint string) {
		problems = append(
			problems,
			config.Problem{Field: field, Found: found, Expected: expected, Hint: hint},
		)
	}
	switch {
	case f.Base == "" && f.Experiment == nil:
		fail("experiment", "nothing", "an experiment, or base: FILE", "")
	case f.Base != "" && f.Experiment != nil:
		fail("base", "both a base and an experiment", "one of them", "")
	}
	names := map[string]bool{}
	for i := range f.Axes {
		path := index("axes", i)
		problems = append(problems, f.Axes[i].resolve(path)...)
		if name := f.Axes[i].Name; names[name] && name != "" {
			fail(path+".name", name+" a second time", "a name of its own for each axis", "")
		} else {
			names[name] = true
		}
	}
	for i := range f.Quick.Axes {
		path := index("quick.axes", i)
		problems = append(problems, f.Quick.Axes[i].resolve(path)...)
		if !names[f.Quick.Axes[i].Name] {
			fail(path, f.Quick.Axes[i].Name, "the name of an axis", "")
		}
	}
	problems = append(problems, f.checkNames()...)
	f.positions.Locate(problems)
	return problems
}

// checkNames checks the names of plots, which become file names.
func (f *File) checkNames() (problems config.Problems) {
	seen := map[string]bool{}
	for i := range f.Plots {
		path, name := index("plots", i)+".name", f.Plots[i].fileName(i)
		file := strings.ToLower(name) // file systems may ignore case
		switch {
		case !filename.OK(name):
			problems = append(
				problems,
				config.Problem{Field: path, Found: strconv.Quote(name), Expected: filename.Expected},
			)
		case seen[file]:
			problems = append(
				problems,
				config.Problem{
					Field:    path,
					Found:    name + " a second time",
					Expected: "a name of its own for each plot",
				},
			)
		}
		seen[file] = true
	}
	return problems
}

// Shorten replaces axes and conditions of the sweep by those of its quick section.
func (f *File) Shorten() {
	for i := range f.Axes {
		for _, q := range f.Quick.Axes {
			if q.Name == f.Axes[i].Name {
				f.Axes[i] = q
			}
		}
	}
	if f.Quick.Only != "" {
		f.Only = f.Quick.Only
	}
}

// beside resolves a path relative to the file's folder.
func (f *File) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

// base returns the sweep's base experiment as written, with the changes of the quick section if
// quick is true.
func (f *File) base(quick bool) (*fabricast.Document, error) {
	dir := filepath.Dir(f.path)
	doc := fabricast.NewDocument(f.Experiment, dir)
	if f.Base != "" {
		var err error
		if doc, err = fabricast.OpenDocument(f.beside(f.Base)); err != nil {
			return nil, err
		}
	}
	if quick {
		for _, path := range sorted(f.Quick.Set) {
			doc = doc.With(path, f.Quick.Set[path])
		}
	}
	return doc, nil
}
