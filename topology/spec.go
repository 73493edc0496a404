package topology

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Spec holds the parameters of a topology that has not been laid out.
type Spec interface {
	// Check returns everything that is wrong with the parameters.
	Check() []Mistake
	// Size counts what the network will have; only for a Spec without mistakes.
	Size() Size
	// Build lays the network out, with so many NICs at every host. Of a Spec with
	// mistakes it returns the first.
	Build(nics int) (Topology, error)
}

// Size is how large a network is.
type Size struct {
	Routers int
	Hosts   int
	Links   int // ends of links between routers, open ones included
}

// Mistake is a parameter that does not describe a network.
type Mistake struct {
	Field    string // name of the parameter, such as "dims[1]"
	Found    string
	Expected string
	Hint     string // the nearest valid choice, or why; may be empty
}

func (m *Mistake) Error() string {
	text := m.Field + ": found " + m.Found + ", expected " + m.Expected
	if m.Hint != "" {
		text += " (" + m.Hint + ")"
	}
	return text
}

// MaxHosts is the most hosts of a network.
const MaxHosts = 1 << 26

// Bounds of what can be numbered with 32 bits, down to the last buffer.
const (
	maxRouters = 1 << 26
	maxPorts   = math.MaxInt32 / 32
)

// checker collects mistakes.
type checker struct{ mistakes []Mistake }

// demand records a mistake unless ok, and tells whether it was.
func (c *checker) demand(ok bool, field string, found any, expected string) bool {
	return c.hint(ok, field, found, expected, "")
}

// written is a value as an experiment has it.
func written(value any) string {
	if list, ok := value.([]int); ok {
		return strings.Join(strings.Fields(fmt.Sprint(list)), ", ")
	}
	return fmt.Sprint(value)
}

func (c *checker) hint(ok bool, field string, found any, expected, hint string) bool {
	if !ok {
		c.mistakes = append(c.mistakes, Mistake{Field: field, Found: written(found), Expected: expected, Hint: hint})
	}
	return ok
}

// least demands a number of at least low.
func (c *checker) least(field string, n, low int) bool {
	return c.demand(n >= low, field, n, fmt.Sprintf("a number of at least %d", low))
}

// count demands a number from low to far beyond what can be numbered.
func (c *checker) count(field string, n, low int) bool {
	return c.least(field, n, low) && c.demand(n <= maxRouters, field, n, fmt.Sprintf("a number up to %d", maxRouters))
}

// sizes demands a list with a positive number for each of what it counts.
func (c *checker) sizes(field string, list []int, most int, such string) bool {
	if len(list) == 0 {
		return c.demand(false, field, "nothing", such)
	}
	right := c.demand(len(list) <= most, field, fmt.Sprintf("%d dimensions", len(list)), fmt.Sprintf("1 to %d dimensions", most))
	for i, k := range list {
		right = c.demand(k >= 1, fmt.Sprintf("%s[%d]", field, i), k, "a size of at least 1") && right
	}
	return right
}

// fits demands a size that can be numbered; a count beyond any bound is negative.
func (c *checker) fits(field string, found any, s Size) bool {
	routers := c.demand(s.Routers >= 0 && s.Routers <= maxRouters, field, found, fmt.Sprintf("at most %d routers in all", maxRouters))
	if !routers {
		return false
	}
	if !c.demand(s.Hosts >= 0 && s.Hosts <= MaxHosts, field, found, fmt.Sprintf("at most %d hosts in all", MaxHosts)) {
		return false
	}
	return c.demand(s.Links >= 0 && s.Links+s.Hosts <= maxPorts, field, found, fmt.Sprintf("at most %d ports in all", maxPorts))
}

// product multiplies sizes; -1 if it is beyond any bound here.
func product(factors ...int) int {
	p := 1
	for _, f := range factors {
		if f < 0 || f > 0 && p > math.MaxInt32/f {
			return -1
		}
		p *= f
	}
	return p
}

// first makes an error of mistakes, nil if there are none.
func first(mistakes []Mistake) error {
	if len(mistakes) == 0 {
		return nil
	}
	return &mistakes[0]
}

// ready tells why a network cannot be laid out, if so.
func ready(s Spec, nics int) error {
	if nics < 1 {
		return fmt.Errorf("a host has at least 1 NIC, not %d", nics)
	}
	if err := first(s.Check()); err != nil {
		return err
	}
	if size := s.Size(); size.Links+size.Hosts*nics > maxPorts {
		return errors.New("the network has more ports than can be numbered")
	}
	return nil
}
