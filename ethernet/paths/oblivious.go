package paths

import "fabricast/topology"

var _ = Register(20, Description[ObliviousOptions]{
	Summary:  "each path once, in an order that is drawn anew after each cycle",
	Source:   "uet-htsim, uec_mp.cpp",
	Make:     func(o *ObliviousOptions) Chooser { return oblivious{paths: numberOf(o.Paths)} },
	Examples: []string{"", "paths: 128", "paths: 1", "paths: 65536"},
})

// ObliviousOptions are the options of the algorithm "oblivious" in experiments.
type ObliviousOptions struct {
	Paths int `yaml:"paths" help:"entropy values of a flow, a power of two" default:"64"`
}

// Name implements Spec.
func (ObliviousOptions) Name() string { return "oblivious" }

// Check returns what is wrong with the options.
func (o *ObliviousOptions) Check() []topology.Mistake { return checkPaths(o.Paths) }

// oblivious sprays the packets of a flow over all its paths, whatever becomes of them
// (github.com/ultraethernet/uet-htsim, uec_mp.cpp).
type oblivious struct {
	flow[cycle]
	paths int
}

// cycle runs through all paths, again and again. The i-th of a cycle is i XOR a number that is
// drawn for each cycle. Above the bits that tell paths apart, entropy values have random bits of
// the flow.
type cycle struct {
	draws
	Index    uint32
	XOR, Top uint16
}

// start prepares a cycle.
func (c *cycle) start(seed uint64, paths int) {
	c.Seed = seed
	c.Top = c.below(1<<16) &^ uint16(paths-1)
	c.XOR = c.below(paths)
}

// path returns the path whose turn it is.
func (c *cycle) path(paths int) uint16 { return (uint16(c.Index) ^ c.XOR) & uint16(paths-1) }

// advance goes to the next path.
func (c *cycle) advance(paths int) {
	if c.Index++; c.Index == uint32(paths) {
		c.Index, c.XOR = 0, c.below(paths)
	}
}

// Start implements Chooser.
func (o oblivious) Start(s []uint64, seed uint64) { o.of(s).start(seed, o.paths) }

// Next implements Chooser.
func (o oblivious) Next(s []uint64, _ int64) uint16 {
	c := o.of(s)
	path := c.path(o.paths)
	c.advance(o.paths)
	return c.Top | path
}
