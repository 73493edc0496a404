package partners

import (
	"fmt"
	"slices"
	"testing"
)

// Every shape is a tree over all places: a child's parent is the place of which it is a child, and
// all places are below the root.
func TestShapesAreTrees(t *testing.T) {
	shapes := map[string]Shaper{
		"binary": BinaryShape, "doubling": DoublingShape, "in order": InOrderShape, "up": BinomialUp,
		"bine": BineDown, "bine up": BineUp,
	}
	for k := 1; k < 6; k++ {
		shapes[fmt.Sprintf("%d chains", k)] = ChainShape(k)
		shapes[fmt.Sprintf("%d-nomial", k+1)] = KnomialShape(k + 1)
	}
	for name, f := range shapes {
		for p := 1; p < 70; p++ {
			root := 0
			if name == "in order" {
				root = p - 1
			}
			reached, next := []int{root}, []int{root}
			for len(next) > 0 {
				place := next[0]
				children := f(p, place).Children
				next = append(next[1:], children...)
				reached = append(reached, children...)
				for _, child := range children {
					if got := f(p, child).Parent; got != place {
						t.Fatalf("%s, %d places: parent of %d is %d, want %d", name, p, child, got, place)
					}
				}
			}
			slices.Sort(reached)
			if len(slices.Compact(reached)) != p || f(p, root).Parent != -1 {
				t.Errorf("%s: %d of %d places are below the root", name, len(reached), p)
			}
		}
	}
}

// Trees that tables of MPI libraries draw.
func TestShapesThatAreKnown(t *testing.T) {
	for _, c := range []struct {
		name     string
		f        Shaper
		p, place int
		want     []int
	}{
		{"doubling", DoublingShape, 8, 0, []int{1, 2, 4}},
		{"doubling", DoublingShape, 8, 1, []int{3, 5}},
		{"binomial", KnomialShape(2), 8, 0, []int{4, 2, 1}},
		{"4-nomial", KnomialShape(4), 16, 0, []int{4, 8, 12, 1, 2, 3}},
		{"binary", BinaryShape, 15, 0, []int{1, 2}},
		{"binary", BinaryShape, 15, 1, []int{3, 5}},
		{"binary", BinaryShape, 15, 2, []int{4, 6}},
		{"binary", BinaryShape, 15, 4, []int{8, 12}},
		{"3 chains", ChainShape(3), 9, 0, []int{1, 4, 7}},
		{"3 chains", ChainShape(3), 9, 4, []int{5}},
		{"in order", InOrderShape, 7, 6, []int{5, 2}},
		{"in order", InOrderShape, 7, 5, []int{4, 3}},
	} {
		if got := c.f(c.p, c.place).Children; !slices.Equal(got, c.want) {
			t.Errorf("%s of %d places: children of %d are %v, want %v", c.name, c.p, c.place, got, c.want)
		}
	}
}
