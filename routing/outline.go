package routing

// Outliner is implemented by algorithms that can list all their routes at once, leaving open what a
// random choice, a hash or the state of queues decides. The check for deadlock (package
// routing/deadlock) uses it, because following every packet's route takes too long on large
// networks. Algorithms without it are checked packet by packet.
//
// An outline is a header, in a form of the algorithm's own, that stands for many route headers. The
// outlines must cause at least all dependencies between channels that packets can cause.
type Outliner interface {
	// OutlineStarts appends the outlines of the packets that start at router `from` a leg toward
	// router `to`, be it their destination or an intermediate router.
	OutlineStarts(from, to int32, outlines []uint64) []uint64
	// OutlineSteps appends every output that packets of an outline may take at a router, with the
	// outline that they have at the next router. That is OutlineEnd if the rest of their route is
	// among those of OutlineStarts. At the last router it appends nothing.
	OutlineSteps(router int32, outline uint64, to []Candidate) []Candidate
}

// OutlineEnd is the outline of packets whose further route OutlineStarts lists.
const OutlineEnd = ^uint64(0)

// toRouter is embedded in algorithms whose outlines begin as the number of the router to which packets
// go. OutlineSteps may add bits above the lowest 32.
type toRouter struct{}

// OutlineStarts implements Outliner.
func (toRouter) OutlineStarts(_, to int32, outlines []uint64) []uint64 {
	return append(outlines, uint64(to))
}
