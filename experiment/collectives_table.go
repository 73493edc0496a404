package experiment

import (
	"errors"
	"slices"

	"fabricast/collective"
	"fabricast/collective/libraries"
	"fabricast/collective/tables"
	"fabricast/internal/config"
	"fabricast/internal/input"
	"fabricast/workload"
)

// Collectives selects the algorithms of the collectives for which the program does not select one
// itself: in C programs, in methods of mpi.Comm called with collective.Default, and in built-in
// programs without workload.algorithm. It also selects how collectives are paced.
type Collectives struct {
	// Table is default, mpich or openmpi. File is a file of rules instead, our own or those of
	// a library (docs/collectives.md).
	Table string `yaml:"table,omitempty" scalar:"true"`
	File  string `yaml:"file,omitempty"`

	// An algorithm given here takes precedence over the table.
	Alltoall      Collective `yaml:"alltoall,omitempty"`
	Barrier       Collective `yaml:"barrier,omitempty"`
	Broadcast     Collective `yaml:"broadcast,omitempty"`
	Allreduce     Collective `yaml:"allreduce,omitempty"`
	Allgather     Collective `yaml:"allgather,omitempty"`
	Reduce        Collective `yaml:"reduce,omitempty"`
	ReduceScatter Collective `yaml:"reduce-scatter,omitempty"`
	Gather        Collective `yaml:"gather,omitempty"`
	Scatter       Collective `yaml:"scatter,omitempty"`
	Scan          Collective `yaml:"scan,omitempty"`
	Exscan        Collective `yaml:"exscan,omitempty"`
}

// normalize moves a Table that is not a known name to File.
func (c *Collectives) normalize() {
	if c.Table != "" && c.File == "" && !slices.Contains(tables.Names(), c.Table) {
		c.Table, c.File = "", c.Table
	}
}

// Each lists the entries of all collectives, in the order of collective.Kinds. The pointers point
// into c.
func (c *Collectives) Each() []*Collective {
	return []*Collective{
		&c.Alltoall,
		&c.Barrier,
		&c.Broadcast,
		&c.Allreduce,
		&c.Allgather,
		&c.Reduce,
		&c.ReduceScatter,
		&c.Gather,
		&c.Scatter,
		&c.Scan,
		&c.Exscan,
	}
}

// choosesNothing reports whether neither a table nor an algorithm is given.
func (c *Collectives) choosesNothing() bool {
	for _, one := range c.Each() {
		if one.Algorithm != "" {
			return false
		}
	}
	return c.Table == "" && c.File == ""
}

// Choose returns the table of algorithms, in which the algorithms given for single collectives take
// precedence. It returns nil if neither a table nor an algorithm is given, and an error if the
// table's file is invalid.
func (c *Collectives) Choose() (*tables.Table, error) {
	if c.choosesNothing() {
		return nil, nil
	}
	t, err := c.read()
	for i, one := range c.Each() {
		if one.Algorithm != "" && err == nil {
			t, err = t.Before(collective.Kinds()[i], collective.Algorithm(one.Algorithm))
		}
	}
	return t, err
}

func (c *Collectives) read() (*tables.Table, error) {
	if c.File != "" {
		text, err := input.Text(c.File, input.Collectives)
		if err != nil {
			return nil, err
		}
		t, err := libraries.Read(c.File, text)
		if err == nil && t.Empty() {
			return nil, config.Problems{{
				Position: config.Position{
					Source: &config.Source{Name: c.File, Text: text}, Line: 1, Column: 1, Width: 1,
				},
				Found: "no rule", Expected: "at least one, such as allreduce ring",
			}}
		}
		return t, err
	}
	name := c.Table
	if name == "" {
		name = tables.Names()[0]
	}
	return tables.Named(name), nil
}

// collectives checks the table and the algorithms. If a built-in program has no algorithm, it sets
// the one that the table selects.
func (v *validator) collectives() {
	c := &v.e.Collectives
	before := len(v.problems)
	for i, one := range c.Each() {
		kind := collective.Kinds()[i]
		v.algorithm(kind, one.Algorithm)
		v.paced("collectives."+string(kind)+".pacing", &one.Pacing, kind)
	}
	v.demand(c.Table == "" || c.File == "", "collectives.table", c.Table, "a table or a file")
	if len(v.problems) > before {
		return
	}
	t, err := c.Choose()
	var lines config.Problems
	switch {
	case errors.As(err, &lines):
		v.problems = append(v.problems, lines...)
	case err != nil:
		v.problem(
			"collectives.file",
			c.File,
			config.OneOf(tables.Names())+", or the name of a file that can be read",
			err.Error(),
		)
	case t != nil:
		v.chooseAlgorithm(t)
	}
}

// algorithm checks the name of an algorithm and its options.
func (v *validator) algorithm(kind collective.Kind, name string) {
	a := collective.Algorithm(name)
	if !a.Known(kind) {
		v.choice(v.algorithmPath(kind), name, collective.Names(kind)...)
		return
	}
	if err := collective.Check(kind, a, 1); err != nil {
		v.problem(v.algorithmPath(kind), name, "options that it has: "+err.Error(), "")
	}
}

// algorithmPath returns the path of the field that holds the algorithm of a collective.
func (v *validator) algorithmPath(kind collective.Kind) string {
	path := "collectives." + string(kind)
	if v.e.positions.Has(path + ".pacing") {
		return path + ".algorithm"
	}
	return path
}

// chooseAlgorithm sets the algorithm of a built-in program's collective from the table, unless the
// experiment sets one.
func (v *validator) chooseAlgorithm(t *tables.Table) {
	w := &v.e.Workload
	program := workload.Find(w.Program)
	if program == nil || w.Algorithm != "" {
		return
	}
	if kind, bytes := program.Calls(int64(w.Size)); kind != "" {
		w.Algorithm = string(t.Choose(kind, tables.Call{Ranks: v.e.Ranks, Bytes: bytes}))
	}
}
