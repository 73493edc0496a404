package partners

import (
	"fmt"
	"slices"
	"testing"
)

// grids are boxes of all kinds of sizes.
var grids = [][]int{{1}, {2, 2}, {8, 8}, {4, 2}, {3, 5}, {6, 4}, {4, 3, 2}, {5, 5}, {2, 3, 4, 2}}

func schedules(dims []int) map[string]Rounds {
	list := map[string]Rounds{}
	for first := range dims {
		for _, mirror := range []bool{false, true} {
			list[fmt.Sprintf("swinging %d %v", first, mirror)] = NewSwinging(dims, first, mirror)
			list[fmt.Sprintf("bucket %d %v", first, mirror)] = NewBucket(dims, first, mirror)
		}
	}
	return list
}

// Every place's part of every chunk comes to the chunk's owner exactly once, and a message is what
// both sides take it for.
func TestRoundsReduceAndScatter(t *testing.T) {
	for p := 1; p < 70; p++ {
		grids = append(grids, []int{p})
	}
	for _, dims := range grids {
		size, _ := sizeOf(dims)
		for name, rounds := range schedules(dims) {
			all := make([][]Round, size)
			for place := range all {
				for i := range rounds.Count() {
					all[place] = append(all[place], rounds.Round(i, place))
				}
			}
			if err := reduceScatter(all); err != nil {
				t.Errorf("%s on %v: %v", name, dims, err)
			}
		}
	}
}

// reduceScatter lets places count whose parts of each chunk they have.
func reduceScatter(all [][]Round) error {
	p := len(all)
	has := make([][][]int, p) // place, chunk: whose parts
	for place := range has {
		has[place] = make([][]int, p)
		for chunk := range p {
			has[place][chunk] = []int{place}
		}
	}
	for r := range all[0] {
		carried := make([][][]int, p)
		for place := range p {
			round := all[place][r]
			if to := all[round.To][r]; to.From != place || !slices.Equal(to.Recv, round.Send) || len(round.Send) == 0 {
				return fmt.Errorf("round %d: %d sends %v to %d, which expects %v of %d", r, place, round.Send, round.To, to.Recv, to.From)
			}
			for _, chunk := range round.Send {
				carried[round.To] = append(carried[round.To], has[place][chunk])
			}
		}
		for place := range p {
			for _, chunk := range all[place][r].Send {
				has[place][chunk] = nil
			}
		}
		for place := range p {
			for i, chunk := range all[place][r].Recv {
				if has[place][chunk] == nil {
					return fmt.Errorf("round %d: %d gets a part of chunk %d after it has sent it", r, place, chunk)
				}
				has[place][chunk] = append(slices.Clone(has[place][chunk]), carried[place][i]...)
			}
		}
	}
	for place := range p {
		parts := slices.Sorted(slices.Values(has[place][place]))
		if len(slices.Compact(parts)) != p || len(has[place][place]) != p {
			return fmt.Errorf("chunk %d has the parts of %v", place, has[place][place])
		}
	}
	return nil
}

// Every colour is a tree over all places, of neighbours.
func TestColorsAreTrees(t *testing.T) {
	for _, dims := range grids {
		size, _ := sizeOf(dims)
		root := size / 3
		for first := range dims {
			for _, mirror := range []bool{false, true} {
				reached := []int{root}
				for i := 0; i < len(reached); i++ {
					for _, child := range ColorShape(dims, root, first, mirror, reached[i]).Children {
						if got := ColorShape(dims, root, first, mirror, child).Parent; got != reached[i] {
							t.Fatalf("%v: parent of %d is %d, want %d", dims, child, got, reached[i])
						}
						reached = append(reached, child)
					}
				}
				slices.Sort(reached)
				if len(reached) != size || len(slices.Compact(reached)) != size {
					t.Errorf("%v: %d of %d places are below the root", dims, len(reached), size)
				}
			}
		}
	}
}

// The distances of the Bine tree of 8 places are 3, 1 and 1, where a binomial tree has 4, 2 and 1.
func TestBineTreeOfEight(t *testing.T) {
	tree := BineTreeOf(8)
	for place, want := range [][]int32{0: {3, 7, 1}, 3: {4, 2}, 7: {6}, 4: {5}} {
		if got := tree.children[place]; !slices.Equal(got, want) {
			t.Errorf("children of %d are %v, want %v", place, got, want)
		}
	}
}
