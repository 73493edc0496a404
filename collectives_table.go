package fabricast

import (
	"errors"
	"os"
	"slices"

	"fabricast/collective"
	"fabricast/internal/config"
)

// Collectives tell which algorithms collectives run where the program does not name one: programs in C, and collectives
// by name without workload.algorithm.
type Collectives struct {
	Table string `yaml:"table,omitempty" scalar:"true"` // default, mpich or openmpi; or a file (docs/collectives.md)
	File  string `yaml:"file,omitempty"`

	// These go before the table.
	Alltoall      string `yaml:"alltoall,omitempty"`
	Barrier       string `yaml:"barrier,omitempty"`
	Broadcast     string `yaml:"broadcast,omitempty"`
	Allreduce     string `yaml:"allreduce,omitempty"`
	Allgather     string `yaml:"allgather,omitempty"`
	Reduce        string `yaml:"reduce,omitempty"`
	ReduceScatter string `yaml:"reduce-scatter,omitempty"`
	Gather        string `yaml:"gather,omitempty"`
	Scatter       string `yaml:"scatter,omitempty"`
}

// normalize takes what is no name of a table for that of a file.
func (c *Collectives) normalize() {
	if c.Table != "" && c.File == "" && !slices.Contains(collective.TableNames(), c.Table) {
		c.Table, c.File = "", c.Table
	}
}

// chosen are the algorithms that go before the table, in the order of collective.Kinds.
func (c *Collectives) chosen() []string {
	return []string{c.Alltoall, c.Barrier, c.Broadcast, c.Allreduce, c.Allgather, c.Reduce, c.ReduceScatter, c.Gather, c.Scatter}
}

// Choose reads the table; nil if nothing is given.
func (c *Collectives) Choose() (*collective.Table, error) {
	if *c == (Collectives{}) {
		return nil, nil
	}
	t, err := c.read()
	for i, algorithm := range c.chosen() {
		if algorithm != "" && err == nil {
			t, err = t.Before(collective.Kinds()[i], collective.Algorithm(algorithm))
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

// collectives checks the table, and takes the algorithm of a collective by name from it if none is given.
func (v *validator) collectives() {
	c := &v.e.Collectives
	before := len(v.problems)
	for i, algorithm := range c.chosen() {
		kind := collective.Kinds()[i]
		if algorithm != "" && collective.Check(kind, collective.Algorithm(algorithm), 1) != nil {
			v.choice("collectives."+string(kind), algorithm, collective.Names(kind)...)
		}
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
	case t != nil && v.e.Workload.Algorithm == "":
		kind := collective.Kind(v.e.Workload.Program)
		v.e.Workload.Algorithm = string(t.Choose(kind, collective.Call{Ranks: v.e.Ranks, Bytes: int64(v.e.Workload.Size)}))
	}
}
