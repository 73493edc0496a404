package routing

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast/topology"
)

// TestUGALCountsHops: the hops by which routes are compared are those that packets take.
func TestUGALCountsHops(t *testing.T) {
	specs := []topology.Spec{
		topology.DragonflySpec{P: 1, A: 4, H: 2},
		topology.DragonflySpec{P: 2, A: 4, H: 3, G: 4},
		topology.SlimFlySpec{Q: 5, Hosts: 1},
		topology.TorusSpec{Dims: []int{4, 3}, Hosts: 1},
		topology.HyperXSpec{Dims: []int{4, 3}, Hosts: 1},
		topology.DragonflyPlusSpec{P: 1, Leaves: 2, Spines: 2, H: 2, G: 3},
	}
	rapid.Check(t, func(t *rapid.T) {
		net, err := rapid.SampledFrom(specs).Draw(t, "network").Build(1)
		if err != nil {
			t.Fatal(err)
		}
		u, err := NewUGALL(net, 8, UGALOptions{})
		if err != nil {
			t.Fatal(err)
		}
		nic := rapid.Int32Range(0, int32(len(net.Graph().NICPort)-1))
		src, dst := nic.Draw(t, "source"), nic.Draw(t, "destination")
		header, _ := u.StartPacket(src, dst, rapid.Uint64().Draw(t, "coin"))
		if u.phase.Of(header) != phaseOpen {
			return
		}
		from := u.address.Router(src)
		o := u.open(from, header)
		for _, h := range []uint64{o.minimal, o.detour} {
			n := int64(0)
			u.walk(from, h, func(int32, uint16) { n++ })
			if got := u.hops(from, h); got != n {
				t.Errorf("from router %d with header %x: %d hops, of %d taken", from, h, got, n)
			}
		}
	})
}
