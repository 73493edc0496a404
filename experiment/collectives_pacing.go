package experiment

import (
	"strconv"
	"strings"

	"fabricast/collective"
	"fabricast/internal/config"
	"fabricast/pacing"
)

// Collective holds the algorithm and the pacing of one kind of collective.
type Collective struct {
	Algorithm string `yaml:"algorithm,omitempty" scalar:"true"`
	// Pacing applies to all calls that the program itself does not pace (mpi.Comm.Pace,
	// Workload.Pacing).
	Pacing Pacing `yaml:"pacing,omitempty"`
}

// MarshalYAML writes a collective without pacing in the short form, as the algorithm's name alone.
func (c Collective) MarshalYAML() (any, error) {
	if !c.Pacing.Given() {
		return c.Algorithm, nil
	}
	type long Collective
	return long(c), nil
}

// UnfoldCollectives prepares the file for an assignment to the field at path. If the file has a
// table or an algorithm in the short form, UnfoldCollectives rewrites it as a mapping, so that a
// field can be set in it.
func UnfoldCollectives(root *config.Node, path string) *config.Node {
	if !strings.HasPrefix(path, "collectives.") {
		return root
	}
	root = config.Unfold(root, "collectives", "table")
	for _, kind := range collective.Kinds() {
		if strings.HasPrefix(path, "collectives."+string(kind)+".") {
			root = config.Unfold(root, "collectives."+string(kind), "algorithm")
		}
	}
	return root
}

// collectives fills in the defaults of the pacing of collectives.
func (f filler) collectives(c *Collectives) {
	for i, one := range c.Each() {
		f.pacing("collectives."+string(collective.Kinds()[i])+".pacing", &one.Pacing)
	}
}

// PacesAny reports whether any collective is paced.
func (c *Collectives) PacesAny() bool {
	for _, one := range c.Each() {
		if one.Pacing.Given() {
			return true
		}
	}
	return false
}

// Rule converts the pacing to the type of package pacing.
func (p *Pacing) Rule() pacing.Rule {
	r := pacing.Rule{Every: p.Every()}
	if p.Derived() {
		r.MOD, r.Hops, r.Scale = p.Gap == PacingMOD, p.Gap == PacingHops, p.scaled
		return r
	}
	gap, _ := strconv.ParseUint(p.Gap, 10, 32)
	r.Gap = uint32(gap)
	return r
}
