package fabricast

import (
	"fmt"
	"math"

	"fabricast/node"
)

// SizeClass gives messages of a program up to a size a class, for switches that arbitrate by
// priority.
type SizeClass struct {
	To    Bytes `yaml:"to"`
	Class int   `yaml:"class"` // the greater, the more urgent
}

// classes checks the classes of messages.
func (v *validator) classes() {
	e := v.e
	v.demand(e.Classes == nil || !e.HasTraffic(), "classes", "classes by size", "none: classes of traffic are those of the parts of a mix")
	last := Bytes(-1)
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
	v.demand(class >= 0 && class <= math.MaxUint8, path, class, fmt.Sprintf("a number from 0 to %d", math.MaxUint8))
}

// sizeClasses is what the ranks need to know of classes.
func (e *Experiment) sizeClasses() []node.SizeClass {
	var list []node.SizeClass
	for _, c := range e.Classes {
		list = append(list, node.SizeClass{To: int64(c.To), Class: uint8(c.Class)})
	}
	return list
}
