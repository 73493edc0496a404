package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
)

var _ = Algorithms.RegisterWith(90, collective.Info{
	Name: collective.Bucket, CommutativeOnly: true, Overlaps: true, Needs: collective.NeedsBox,
	Summary: "reduce-scatter and allgather on a torus, on the rings of one dimension after the other",
	Options: []collective.Option{steps.PortsOption},
}, func(v collective.Values) Func { return Bucket(v[0]) })

// Bucket reduces on the rings of one dimension of a torus after the other, and then gathers on them in
// reverse order (Barnett et al., Global combine on mesh architectures with wormhole routing, IPPS
// 1993; with all links at once, Sack and Gropp, Collective algorithms for multiported torus
// networks, ACM TOPC 2015, and Jain and Sabharwal, Optimal bucket algorithms for large MPI
// collectives on torus interconnects, ICS 2010). On a torus of n dimensions the buffer is divided
// into 2n shares, each of which begins with another dimension or side; ports limits their number.
// Each rank sends, of each share, k-1 messages for each dimension of size k in each half, with
// 2(p-1)/p of the buffer in total. All messages go to neighbours.
func Bucket(ports int) Func { return onGrid(collective.Bucket, steps.BucketSchedule, ports) }
