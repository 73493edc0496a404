package experiment

import (
	"fmt"
	"math"

	"fabricast/internal/units"
)

// SizeClass gives a priority class to the messages of a program that have at most To bytes, for
// routers that arbitrate by priority.
type SizeClass struct {
	To    units.Bytes `yaml:"to"`
	Class int         `yaml:"class"` // greater is more urgent
}

// classes checks the priority classes of messages by size.
func (v *validator) classes() {
	e := v.e
	v.demand(
		e.Classes == nil || !e.HasTraffic(), "classes", "classes by size",
		"none: classes of traffic are those of the parts of a mix",
	)
	last := units.Bytes(-1)
	for i, c := range e.Classes {
		path := index("classes", i)
		v.demand(c.To > last, path+".to", c.To, "a size of at least 0B, and more than that before it")
		v.class(path+".class", c.Class)
		last = max(last, c.To)
	}
	for i, p := range e.Traffic.Pattern.Parts {
		v.class(index("traffic.pattern.parts", i)+".class", p.Class)
	}
}

func (v *validator) class(path string, class int) {
	v.demand(
		class >= 0 && class <= math.MaxUint8, path, class,
		fmt.Sprintf("a number from 0 to %d", math.MaxUint8),
	)
}
