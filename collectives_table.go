package fabricast

import (
	"errors"
	"os"
	"slices"

	"fabricast/collective"
	"fabricast/internal/config"
	"fabricast/workload"
)

// Collectives tell which algorithms collectives run where the program does not name one: programs in C, methods of mpi.Comm
// with collective.Default, and programs by name without workload.algorithm. And they tell how the collectives of programs are paced.
type Collectives struct {
	Table string `yaml:"table,omitempty" scalar:"true"` // default, mpich or openmpi; or a file (docs/collectives.md)
	File  string `yaml:"file,omitempty"`

	// Their algorithms go before the table.
	Alltoall      Collective `yaml:"alltoall,omitempty"`
	Barrier       Collective `yaml:"barrier,omitempty"`
	Broadcast     Collective `yaml:"broadcast,omitempty"`
	Allreduce     Collective `yaml:"allreduce,omitempty"`
	Allgather     Collective `yaml:"allgather,omitempty"`
	Reduce        Collective `yaml:"reduce,omitempty"`
	ReduceScatter Collective `yaml:"reduce-scatter,omitempty"`
	Gather        Collective `yaml:"gather,omitempty"`
	Scatter       Collective `yaml:"scatter,omitempty"`
}

// normalize takes what is no name of a table for that of a file.
func (c *Collectives) normalize() {
	if c.Table != "" && c.File == "" && !slices.Contains(collective.TableNames(), c.Table) {
		c.Table, c.File = "", c.Table
	}
}

// each lists what is said of each collective, in the order of collective.Kinds.
func (c *Collectives) each() []*Collective {
	return []*Collective{&c.Alltoall, &c.Barrier, &c.Broadcast, &c.Allreduce, &c.Allgather, &c.Reduce, &c.ReduceScatter, &c.Gather, &c.Scatter}
}

// choosesNothing tells that collectives run the algorithms that they do without a table.
func (c *Collectives) choosesNothing() bool {
	for _, one := range c.each() {
		if one.Algorithm != "" {
			return false
		}
	}
	return c.Table == "" && c.File == ""
}

// Choose reads the table; nil if no algorithm is given.
func (c *Collectives) Choose() (*collective.Table, error) {
	if c.choosesNothing() {
		return nil, nil
	}
	t, err := c.read()
	for i, one := range c.each() {
		if one.Algorithm != "" && err == nil {
			t, err = t.Before(collective.Kinds()[i], collective.Algorithm(one.Algorithm))
		}
	}
	return t, err
}

func (c *Collectives) read() (*collective.Table, error) {
	if c.File != "" {
		f, err := os.Open(c.File)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return collective.ReadTable(c.File, f)
	}
	name := c.Table
	if name == "" {
		name = collective.TableNames()[0]
	}
	return collective.NamedTable(name), nil
}

// collectives checks the table, and takes the algorithm of a program by name from it if none is given.
func (v *validator) collectives() {
	c := &v.e.Collectives
	before := len(v.problems)
	for i, one := range c.each() {
		kind := collective.Kinds()[i]
		if one.Algorithm != "" && collective.Check(kind, collective.Algorithm(one.Algorithm), 1) != nil {
			v.choice(v.algorithmPath(kind), one.Algorithm, collective.Names(kind)...)
		}
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
		v.problem("collectives.file", c.File, config.OneOf(collective.TableNames())+", or the name of a file that can be read", err.Error())
	case t != nil:
		v.chooseAlgorithm(t)
	}
}

// algorithmPath is where the algorithm of a collective is written.
func (v *validator) algorithmPath(kind collective.Kind) string {
	path := "collectives." + string(kind)
	if v.e.positions.Has(path + ".pacing") {
		return path + ".algorithm"
	}
	return path
}

// chooseAlgorithm takes the algorithm of the program's collective from the table if it has one and none is given.
func (v *validator) chooseAlgorithm(t *collective.Table) {
	w := &v.e.Workload
	program := workload.Find(w.Program)
	if program == nil || w.Algorithm != "" {
		return
	}
	if kind, bytes := program.Calls(int64(w.Size)); kind != "" {
		w.Algorithm = string(t.Choose(kind, collective.Call{Ranks: v.e.Ranks, Bytes: bytes}))
	}
}
