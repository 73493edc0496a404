package topology

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Spec holds the parameters of a network that has not been built yet.
type Spec interface {
	// Check returns all mistakes in the parameters. If it returns none, they describe a network.
	Check() []Mistake
	// Size returns the numbers of routers, hosts and links that the network will have. The Spec
	// must be valid.
	Size() Size
	// Build builds the network, with the given number of NICs per host. If the Spec is invalid, the
	// error is the first mistake.
	Build(nics int) (Topology, error)
}

// Size holds the numbers of routers, hosts and links of a network.
type Size struct {
	Routers int
	Hosts   int
	Links   int // number of ends of links between routers, including open ports
}

// Mistake is an invalid value of a parameter.
type Mistake struct {
	Field    string // name of the parameter, such as "dims[1]"
	Found    string
	Expected string
	Hint     string // the nearest valid value, or a reason; may be empty
}

// MistakesIn returns the mistakes in options that have a method Check() []Mistake; nil for others.
func MistakesIn(options any) []Mistake {
	if c, ok := options.(interface{ Check() []Mistake }); ok {
		return c.Check()
	}
	return nil
}

func (m *Mistake) Error() string {
	text := m.Field + ": found " + m.Found + ", expected " + m.Expected
	if m.Hint != "" {
		text += " (" + m.Hint + ")"
	}
	return text
}

// MaxHosts is the maximum number of hosts of a network.
const MaxHosts = 1 << 26

// Maximum numbers of routers and ports. Up to these, 32 bits suffice to number all ports and their
// buffers.
const (
	maxRouters = 1 << 26
	maxPorts   = math.MaxInt32 / 32
)

// checker collects the mistakes in a Spec's parameters.
type checker struct{ mistakes []Mistake }

// demand records a mistake if ok is false, and returns ok.
func (c *checker) demand(ok bool, field string, found any, expected string) bool {
	return c.hint(ok, field, found, expected, "")
}

// written formats a value as in an experiment file.
func written(value any) string {
	if list, ok := value.([]int); ok {
		return strings.Join(strings.Fields(fmt.Sprint(list)), ", ")
	}
	return fmt.Sprint(value)
}

func (c *checker) hint(ok bool, field string, found any, expected, hint string) bool {
	if !ok {
		c.mistakes = append(
			c.mistakes,
			Mistake{Field: field, Found: written(found), Expected: expected, Hint: hint},
		)
	}
	return ok
}

// least records a mistake if n is less than low. It reports whether n is valid.
func (c *checker) least(field string, n, low int) bool {
	return c.demand(n >= low, field, n, fmt.Sprintf("a number of at least %d", low))
}

// count records a mistake if n is less than low or more than maxRouters. It reports whether n is
// valid.
func (c *checker) count(field string, n, low int) bool {
	return c.least(field, n, low) &&
		c.demand(n <= maxRouters, field, n, fmt.Sprintf("a number up to %d", maxRouters))
}

// sizes records a mistake unless list has 1 to `most` entries, all of them at least 1. `such`
// describes the expected value if the list is empty. It reports whether the list is valid.
func (c *checker) sizes(field string, list []int, most int, such string) bool {
	if len(list) == 0 {
		return c.demand(false, field, "nothing", such)
	}
	right := c.demand(
		len(list) <= most, field, fmt.Sprintf("%d dimensions", len(list)),
		fmt.Sprintf("1 to %d dimensions", most),
	)
	for i, k := range list {
		right = c.demand(k >= 1, fmt.Sprintf("%s[%d]", field, i), k, "a size of at least 1") && right
	}
	return right
}

// fits records a mistake if a network of size s is too large. A negative count stands for one that
// overflowed. It reports whether the size is valid.
func (c *checker) fits(field string, found any, s Size) bool {
	routers := c.demand(
		s.Routers >= 0 && s.Routers <= maxRouters, field, found,
		fmt.Sprintf("at most %d routers in all", maxRouters),
	)
	if !routers {
		return false
	}
	if !c.demand(
		s.Hosts >= 0 && s.Hosts <= MaxHosts, field, found,
		fmt.Sprintf("at most %d hosts in all", MaxHosts),
	) {
		return false
	}
	return c.demand(
		s.Links >= 0 && s.Links+s.Hosts <= maxPorts, field, found,
		fmt.Sprintf("at most %d ports in all", maxPorts),
	)
}

// product returns the product of sizes, or -1 if it is more than math.MaxInt32 or a size is
// negative.
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

// first returns the first mistake as an error, or nil if there are none.
func first(mistakes []Mistake) error {
	if len(mistakes) == 0 {
		return nil
	}
	return &mistakes[0]
}

// ready returns an error if a network cannot be built from s with the given number of NICs per
// host.
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
