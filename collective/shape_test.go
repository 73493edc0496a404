package collective

import (
	"fmt"
	"slices"
	"testing"
)

// Every shape is a tree over all places: a child's parent is the place of which it is a child, and
// all places are below the root.
func TestShapesAreTrees(t *testing.T) {
	shapes := map[string]shaper{
		"binary": binaryShape, "doubling": doublingShape, "in order": inOrderShape, "up": binomialUp,
	}
	for k := 1; k < 6; k++ {
		shapes[fmt.Sprintf("%d chains", k)] = chainShape(k)
		shapes[fmt.Sprintf("%d-nomial", k+1)] = knomialShape(k + 1)
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
				children := f(p, place).children
				next = append(next[1:], children...)
				reached = append(reached, children...)
				for _, child := range children {
					if got := f(p, child).parent; got != place {
						t.Fatalf("%s, %d places: parent of %d is %d, want %d", name, p, child, got, place)
					}
				}
			}
			slices.Sort(reached)
			if len(slices.Compact(reached)) != p || f(p, root).parent != -1 {
				t.Errorf("%s: %d of %d places are below the root", name, len(reached), p)
			}
		}
	}
}

// Trees that tables of MPI libraries draw.
func TestShapesThatAreKnown(t *testing.T) {
	for _, c := range []struct {
		name     string
		f        shaper
		p, place int
		want     []int
	}{
		{"doubling", doublingShape, 8, 0, []int{1, 2, 4}},
		{"doubling", doublingShape, 8, 1, []int{3, 5}},
		{"binomial", knomialShape(2), 8, 0, []int{4, 2, 1}},
		{"4-nomial", knomialShape(4), 16, 0, []int{4, 8, 12, 1, 2, 3}},
		{"binary", binaryShape, 15, 0, []int{1, 2}},
		{"binary", binaryShape, 15, 1, []int{3, 5}},
		{"binary", binaryShape, 15, 2, []int{4, 6}},
		{"binary", binaryShape, 15, 4, []int{8, 12}},
		{"3 chains", chainShape(3), 9, 0, []int{1, 4, 7}},
		{"3 chains", chainShape(3), 9, 4, []int{5}},
		{"in order", inOrderShape, 7, 6, []int{5, 2}},
		{"in order", inOrderShape, 7, 5, []int{4, 3}},
	} {
		if got := c.f(c.p, c.place).children; !slices.Equal(got, c.want) {
			t.Errorf("%s of %d places: children of %d are %v, want %v", c.name, c.p, c.place, got, c.want)
		}
	}
}
