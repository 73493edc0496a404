package routing_test

import (
	"cmp"
	"math/bits"
	"slices"

	"fabricast/routing"
)

// compareOffer holds what a steady algorithm offers a packet to its candidates with all queues
// empty: the same outputs in the same order, the escape channel last, and a header that stays as it
// is.
func (w *walker) compareOffer(s routing.Steady, router int32, header uint64) {
	w.t.Helper()
	var offer routing.Options
	s.Offer(router, header, nil, &offer)
	if offer.Ports == 0 {
		return
	}
	list := s.Candidates(router, header, busy{}, nil)
	slices.SortStableFunc(list, func(a, b routing.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	var want [][2]uint16
	for _, c := range list {
		want = append(want, [2]uint16{c.Port, c.VC})
		if c.Header != header {
			w.t.Fatalf("%s: at router %d header %x becomes %x", w.name, router, header, c.Header)
		}
	}
	got := outputs(offer)
	if offer.Resorts {
		port, vc := s.Resort(router, header)
		got = append(got, [2]uint16{port, vc})
	}
	if !slices.Equal(got, want) || list[len(list)-1].Escape != offer.Resorts {
		w.t.Fatalf(
			"%s: at router %d the offer %+v is %v, the candidates are %v",
			w.name, router, offer, got, list,
		)
	}
}

// outputs lists the ports and channels of an offer in its order.
func outputs(o routing.Options) (list [][2]uint16) {
	for m := o.Ports; m != 0; m &= m - 1 {
		for vc := o.From; vc < o.End; vc++ {
			list = append(list, [2]uint16{uint16(bits.TrailingZeros64(m)), vc})
		}
	}
	return append(list[o.First:len(list):len(list)], list[:o.First]...)
}
