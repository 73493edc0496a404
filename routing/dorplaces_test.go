package routing

import (
	"testing"

	"fabricast/topology"
)

// TestPlacesOfRouters: the table of places gives the same headers as the coordinates.
func TestPlacesOfRouters(t *testing.T) {
	for _, dims := range [][]int{{5}, {4, 1, 3}, {16, 8, 2}, {3, 4, 5, 6}} {
		torus, err := topology.NewTorusOf(topology.TorusSpec{Dims: dims, Hosts: 2}, 1)
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
		for src := range nics {
			for dst := range nics {
				if a, b := d.header(src, dst, d.pair(src, dst)), slow.header(src, dst, d.pair(src, dst)); a != b {
					t.Fatalf("%v: %d to %d: header %x, expected %x", dims, src, dst, a, b)
				}
			}
		}
	}
}
