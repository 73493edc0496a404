package routing

// Outliner is implemented by algorithms that can tell all their routes at once,
// leaving out what chance, a hash or the state of queues decides. The check
// for deadlock (package routing/deadlock) uses it, because listing every packet's
// route takes too long on large networks; algorithms without it are walked
// packet by packet.
//
// An outline is a header of the algorithm's own making, which stands for many
// route headers. Every dependency between channels that packets can bring about
// must be brought about by the outlines too.
type Outliner interface {
	// OutlineStarts appends the outlines of the packets that begin a way at router
	// `from` toward router `to`: their destination, or some router they go by.
	OutlineStarts(from, to int32, outlines []uint64) []uint64
	// OutlineSteps appends every output that packets of an outline may take at a
	// router, with the outline at the next router, or OutlineEnd if what follows
	// is told by OutlineStarts. At the last router there is no step.
	OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate
}

// OutlineEnd is the outline of packets whose further way is told elsewhere.
const OutlineEnd = ^uint64(0)
