package topology

// The interfaces of this file are what a Topology may know of itself beyond its graph. Consumers
// (pictures, tables, traffic, placement, cuts) ask for them and never for a type, so that a new
// topology takes part in everything for which it implements the interface. None is needed.

// Coordinated is a Topology whose routers have coordinates.
type Coordinated interface {
	Topology
	// Dimensions returns the dimensions of the coordinates; nil if there are none after all.
	Dimensions() []Dimension
	// Coordinates appends the coordinates of a router, one for each of Dimensions. All are -1 for a
	// router without coordinates.
	Coordinates(router int, list []int) []int
	// LinkDimension returns the dimension of the link at a local port of a router; -1 if the port
	// leads to a NIC or the link runs along none.
	LinkDimension(router, port int) int
}

// InBlocks is a Topology with other coordinates where it is the block of a hierarchy.
type InBlocks interface {
	Topology
	// InBlock returns the topology with these coordinates. The names of its dimensions follow the
	// word "block"; that of a single one may be empty.
	InBlock() Coordinated
}

// Rings is a Topology of rings, or lines, in each dimension. Router 0 has all coordinates 0, and the
// first dimension varies fastest.
type Rings interface {
	Topology
	// Dims returns the number of routers in each dimension. The caller must not change the list.
	Dims() []int
	// Wraps reports whether dimension d is a ring.
	Wraps(d int) bool
	// Hosts returns the number of hosts of each router.
	Hosts() int
}

// Grouped is a Topology whose routers form groups among which hosts are placed and by which the
// network is cut: the groups of a dragonfly, the blocks of a hierarchy.
type Grouped interface {
	Topology
	// Group returns the group of a router, from 0; -1 for a router in none.
	Group(router int) int
}

// Leveled is a Topology whose routers are on levels.
type Leveled interface {
	Topology
	// Level returns the level of a router, from 1 at the hosts; -1 for a router on none.
	Level(router int) int
}

// Tree is a Topology of levels of switches above hosts: on every level, subtrees of equal size.
// Routers are numbered subtree by subtree, those on top last.
type Tree interface {
	Leveled
	// Levels returns the number of levels of switches.
	Levels() int
	// Children returns the number of subtrees of a subtree of level l, hosts for l = 1.
	Children(l int) int
	// Parents returns the number of parents of a switch of level l, or of a host for l = 0.
	Parents(l int) int
	// LinkLevel returns the level of the lower end of the link at a local port of a router.
	LinkLevel(router, port int) int
}

// Symmetric is a Topology some of whose routers represent all.
type Symmetric interface {
	Topology
	// Representatives returns the number of routers, from the first on, whose distances represent
	// those of all: every other router with hosts is equivalent to one of them by a symmetry of the
	// network.
	Representatives() int
}

// Bisected is a Topology whose bisection follows from a formula. Its routers with hosts have
// equally many.
type Bisected interface {
	Topology
	// Bisection returns the least bandwidth between two halves of the routers with hosts (bytes/s, in
	// one direction), from the bandwidth of each link class, and the formula in words. The text is
	// empty if the formula does not hold for the network's sizes.
	Bisection(bandwidth []int64) (rate int64, formula string)
}

// Direct is a Topology whose Distance is a formula, not a search, and so cheap on any network.
type Direct interface {
	Topology
	// DistanceFormula does nothing.
	DistanceFormula()
}

// WorstInGroups is a Topology on which minimal routing carries least if all hosts of each group send
// to hosts of the next group.
type WorstInGroups interface {
	Topology
	// WorstGroup returns the size of such a group: in hosts, and in routers if all of them have
	// equally many, else 0.
	WorstGroup() (hosts, routers int)
}

// WorstPermuted is a Topology with a permutation of which minimal routing carries least.
type WorstPermuted interface {
	Topology
	// WorstPermutation returns the destination of each host.
	WorstPermutation() []int32
}

// Shaped is a Topology with a known shape, in which it is drawn and described.
type Shaped interface {
	Topology
	// Shape returns the shape.
	Shape() Shape
}

// Shape is the shape of a network: a Grid, Circle, GroupRing, Stack or Nest.
type Shape interface{ shape() }

// Grid is the shape of a network with dimensions.
type Grid struct {
	Dims []int  // routers in each dimension
	Wrap []bool // whether each dimension is a ring, else a line; nil: all routers of a row are joined
}

// Circle is the shape of a network whose routers are all alike and joined with one another.
type Circle struct{}

// GroupRing is the shape of a network of groups with consecutive routers.
type GroupRing struct {
	Groups int
	Size   int // routers of a group
	Outer  int // the first so many of a group surround the others; 0: all are alike
}

// Stack is the shape of a tree.
type Stack struct{ Tree }

// Nest is the shape of a hierarchy.
type Nest struct{ *Hierarchy }

func (Grid) shape()      {}
func (Circle) shape()    {}
func (GroupRing) shape() {}
func (Stack) shape()     {}
func (Nest) shape()      {}
