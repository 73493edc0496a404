package sweep

import (
	"path/filepath"

	"fabricast"
	"fabricast/internal/config"
)

// File describes a sweep (docs/sweeps.md).
type File struct {
	Title      string              `yaml:"title"`
	Base       string              `yaml:"base"`       // an experiment file, relative to this one
	Experiment *fabricast.Fragment `yaml:"experiment"` // or the experiment itself
	Axes       []Axis              `yaml:"axes"`
	Only       string              `yaml:"only"` // an expression: points at which it is false are left out
	// Large is an expression: points at which it is true run only when they are asked for.
	Large string `yaml:"large"`
	// Weight is an expression: the effort of a point in comparison with others.
	Weight string `yaml:"weight"`
	// Isolated says that each point runs in a process of its own, so that the CPU time and the
	// memory of its result are its own.
	Isolated  bool        `yaml:"isolated"`
	Columns   []Column    `yaml:"columns"`
	Plots     []Plot      `yaml:"plots"`
	Reference []Reference `yaml:"reference"`
	Findings  []Finding   `yaml:"findings"`
	Quick     Quick       `yaml:"quick"`

	path      string
	positions config.Positions
}

// Column is a figure of the table.
type Column struct {
	Name  string `yaml:"name" scalar:"true"`
	Value string `yaml:"value"` // an expression over axes and figures; default: the figure of that name
	// At names values of axes: the figure is that of the row with these, alike in all other axes.
	At map[string]string `yaml:"at"`
}

// Quick cuts a sweep down for tests: its fields are laid over those of the experiment,
// and its axes replace those of the same name.
type Quick struct {
	Set  map[string]*fabricast.Fragment `yaml:"set"`
	Axes []Axis                         `yaml:"axes"`
	Only string                         `yaml:"only"`
}

// Open reads a sweep. Whatever is wrong with it is a *fabricast.ConfigError.
func Open(path string) (*File, error) {
	root, err := config.Load(path)
	if err != nil {
		return nil, fabricast.NewConfigError(err)
	}
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

// Is tells whether a file is a sweep; of a file that cannot be read it says no.
func Is(path string) bool {
	root, err := config.Load(path)
	return err == nil && fabricast.IsSweep(root)
}

// kindOf refuses a file that is an experiment and no sweep.
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

// check looks for mistakes that need no experiment.
func (f *File) check() config.Problems {
	var problems config.Problems
	fail := func(field, found, expected, hint string) {
		problems = append(problems, config.Problem{Field: field, Found: found, Expected: expected, Hint: hint})
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
	f.positions.Locate(problems)
	return problems
}

// Shorten cuts the sweep down as its quick section says.
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

// beside is a path that is relative to the file, unless it is absolute.
func (f *File) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

// base is the experiment as it is written.
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
