package routing

import (
	"testing"

	"fabricast/topology"
)

// TestPlacesOfRouters: the table of places gives the same headers as the coordinates.
func TestPlacesOfRouters(t *testing.T) {
	for _, s := range []topology.TorusSpec{
		{Dims: []int{5}},
		{Dims: []int{4, 1, 3}},
		{Dims: []int{16, 8, 2}},
		{Dims: []int{3, 4, 5, 6}},
		{Dims: []int{2, 1, 1, 2}},
		{Dims: []int{5, 1, 2, 7}, Wrap: []bool{true, false, true, false}},
		{Dims: []int{64, 64}},
		{Dims: []int{1, 64, 1, 64}, Wrap: make([]bool, 4)}, // the most routers
	} {
		dims := s.Dims
		s.Hosts = 2
		torus, err := topology.NewTorusOf(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDOR(torus, 2, TieSplit)
		if err != nil {
			t.Fatal(err)
		}
		if d.places == nil {
			t.Fatalf("%v: no table of places", dims)
		}
		slow := *d
		slow.places = nil
		nics := int32(len(torus.Graph().NICPort))
		for src := int32(0); src < nics; src += 1 + nics/200 {
			for dst := range nics {
				if a, b := d.header(src, dst, d.pair(src, dst)), slow.header(src, dst, d.pair(src, dst)); a != b {
					t.Fatalf("%v: %d to %d: header %x, expected %x", dims, src, dst, a, b)
				}
			}
		}
	}
}
