package topology

// The interfaces in this file describe optional properties of a Topology beyond its graph. Their
// users (figures, tables, traffic, placement, partitions) test for an interface and never for a
// concrete type. A new topology can thus be used with every feature whose interface it implements.

// Coordinated is a Topology whose routers have coordinates.
type Coordinated interface {
	Topology
	// Dimensions returns the dimensions of the coordinates. It returns nil if there are none, which
	// can happen for some parameters.
	Dimensions() []Dimension
	// Coordinates appends the coordinates of a router to list, one per dimension. All are -1 for a
	// router without coordinates.
	Coordinates(router int, list []int) []int
	// LinkDimension returns the dimension of the link at a router's local port, or -1 if the port
	// leads to a NIC or the link does not run along a dimension.
	LinkDimension(router, port int) int
}

// InBlocks is a Topology that has other coordinates when it is the block of a hierarchy.
type InBlocks interface {
	Topology
	// InBlock returns the topology with these coordinates. Its dimensions are named "block"
	// followed by the name returned here, which may be empty for a single dimension.
	InBlock() Coordinated
}

// Rings is a Topology that is a grid of rings or lines, one per dimension. Router 0 has all
// coordinates 0, and the first dimension varies fastest.
type Rings interface {
	Topology
	// Dims returns the number of routers in each dimension. The caller must not change the list.
	Dims() []int
	// Wraps reports whether dimension d is a ring.
	Wraps(d int) bool
	// Hosts returns the number of hosts of each router.
	Hosts() int
}

// Grouped is a Topology whose routers form groups, such as the groups of a dragonfly or the blocks
// of a hierarchy. Placement and partitions use the groups.
type Grouped interface {
	Topology
	// Group returns the group of a router, or -1 if it is not in a group.
	Group(router int) int
}

// Leveled is a Topology whose routers are arranged in levels.
type Leveled interface {
	Topology
	// Level returns the level of a router, or -1 if it has none. Routers with hosts are at level 1.
	Level(router int) int
}

// Tree is a Topology of levels of switches above hosts. On each level, all subtrees have the same
// size. Routers are numbered subtree by subtree, with those at the top of a subtree last.
type Tree interface {
	Leveled
	// Levels returns the number of levels of switches.
	Levels() int
	// Children returns the number of children of a subtree of level l: subtrees, or hosts for l =
	// 1.
	Children(l int) int
	// Parents returns the number of parents of a switch of level l, or of a host for l = 0.
	Parents(l int) int
	// LinkLevel returns the level of the lower end of the link at a router's local port.
	LinkLevel(router, port int) int
}

// Symmetric is a Topology in which some routers represent all by symmetry.
type Symmetric interface {
	Topology
	// Representatives returns the number n such that the first n routers represent all: every other
	// router with hosts is equivalent to one of them by a symmetry of the network.
	Representatives() int
}

// Bisected is a Topology whose bisection bandwidth is given by a formula. All its routers with
// hosts have the same number of hosts.
type Bisected interface {
	Topology
	// Bisection returns the minimum bandwidth between two halves of the routers with hosts, in
	// bytes per second and one direction, given the bandwidth of each link class. formula describes
	// the formula in words. It is empty if the formula does not apply to the network's sizes.
	Bisection(bandwidth []int64) (rate int64, formula string)
}

// Direct is a Topology whose Distance is computed by a formula rather than a search, and so is fast
// on any network.
type Direct interface {
	Topology
	// DistanceFormula does nothing. It marks the type.
	DistanceFormula()
}

// WorstInGroups is a Topology for which minimal routing has the lowest throughput if all hosts of
// each group send to hosts of the next group.
type WorstInGroups interface {
	Topology
	// WorstGroup returns the size of such a group, in hosts and in routers. The latter is 0 if
	// routers have different numbers of hosts.
	WorstGroup() (hosts, routers int)
}

// WorstPermuted is a Topology with a known permutation for which minimal routing has the lowest
// throughput.
type WorstPermuted interface {
	Topology
	// WorstPermutation returns the destination of each host.
	WorstPermutation() []int32
}

// Endpoints is a Topology whose routers with hosts are parts of nodes, which do not forward what
// others send. Only its own minimal routing, and routes that the user gives, respect this; if its graph
// has Ends, shortest paths of every kind do, too.
type Endpoints interface {
	Topology
	// EndsOnly does nothing. It marks the type.
	EndsOnly()
}

// Named is a Topology whose hosts may have names.
type Named interface {
	Topology
	// HostName returns the name of a host; "" if it has none.
	HostName(host int) string
}

// Labeled is a Topology that may know what the forwarding tables of a real network call its parts.
type Labeled interface {
	Topology
	// Labels returns the identifiers and addresses; nil if they are unknown.
	Labels() *Labels
	// PortNumber returns the number of a router's local port in the real network; 0 if it is unknown.
	PortNumber(router, port int) int
}

// Shaped is a Topology with a known shape, by which it is drawn and described.
type Shaped interface {
	Topology
	// Shape returns the network's shape.
	Shape() Shape
}

// Shape is the shape of a network: a Grid, Circle, GroupRing, Stack or Nest.
type Shape interface{ shape() }

// Grid is the shape of a network with dimensions.
type Grid struct {
	Dims []int  // routers in each dimension
	Wrap []bool // whether each dimension is a ring or a line; nil: all routers of a row are connected
}

// Circle is the shape of a network whose routers are all equivalent and connected to one another.
type Circle struct{}

// GroupRing is the shape of a network of groups of routers with consecutive IDs.
type GroupRing struct {
	Groups int
	Size   int // routers per group
	Outer  int // the first Outer routers of a group surround the others; 0: all are alike
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
