package control

import (
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(20, Description[WindowOptions]{
	Summary: "a window that does not change",
	Limits:  "window", Signals: "nothing", Source: "",
	Make:     func(o *WindowOptions) Algorithm { return window{size: int64(o.Size)} },
	Examples: []string{"", "size: 64KiB"},
})

// WindowOptions are the options of the algorithm "window" in experiments.
type WindowOptions struct {
	Size units.Bytes `yaml:"size" help:"bytes on the wire that may be under way" default:"what the link carries in a base round trip"`
}

// Name implements Spec.
func (WindowOptions) Name() string { return "window" }

// Check returns what is wrong with the options.
func (o *WindowOptions) Check() []topology.Mistake {
	var c checker
	c.size("size", o.Size)
	return c
}

// window allows each flow the same number of bytes under way.
type window struct {
	None
	size int64 // bytes; 0: the bandwidth-delay product
}

// Limits implements Algorithm.
func (w window) Limits(_ []uint64, p *Path) Limits {
	return Limits{Window: max(p.MTU, or(w.size, p.BDP()))}
}
