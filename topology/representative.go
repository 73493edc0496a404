package topology

// Family is a set of networks that differ only in size as far as deadlock is concerned: a routing
// algorithm can cause the same cycles of waiting packets in a small network as in a large one. A
// routing algorithm lists the families for which this holds (docs/routing.md gives the reasons).
type Family string

// Representative is a small network of a family. Its routes are checked for deadlock instead of
// those of a large network of that family.
type Representative struct {
	Of    Family
	Name  string                   // description for error messages, such as "a torus of 4x4"
	Build func() (Topology, error) // builds the network
}

// Represented is implemented by topologies for which a smaller network can be checked instead.
type Represented interface {
	Topology
	// Representative returns the smaller network. ok is false if this one is small enough.
	Representative() (r Representative, ok bool)
}
