package torch

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Groups are process groups. Several may have the same ranks: their collectives proceed side by side,
// in an order that differs between ranks. As names may differ between traces of one program, they are
// told apart by a number, their place among the names that their ranks know.
type Groups struct {
	Lists   [][]int32 // the first is the world, nil
	Ranks   int       // of the world
	known   map[string]int32
	numbers []int // of each of Lists
}

// NewGroups returns the groups of so many ranks, with the world alone.
func NewGroups(ranks int) *Groups {
	g := &Groups{Ranks: ranks, known: map[string]int32{}}
	g.add(nil, 0)
	return g
}

// Size returns the number of ranks of a group.
func (g *Groups) Size(index int32) int {
	if index == 0 {
		return g.Ranks
	}
	return len(g.Lists[index])
}

// Like returns the index of the group of some ranks with the number of another one. The ranks must be
// right.
func (g *Groups) Like(other int32, ranks []int32) int32 {
	return g.add(g.short(ranks), g.numbers[other])
}

// add returns the index of a group. The ranks are nil for all.
func (g *Groups) add(ranks []int32, number int) int32 {
	key := fmt.Sprint(ranks, number)
	index, found := g.known[key]
	if !found {
		index = int32(len(g.Lists))
		list := slices.Clone(ranks)
		if list == nil && number > 0 {
			list = Regular(0, 1, g.Ranks)
		}
		g.known[key], g.Lists, g.numbers = index, append(g.Lists, list), append(g.numbers, number)
	}
	return index
}

// short returns ranks, nil if they are all in order.
func (g *Groups) short(ranks []int32) []int32 {
	world := len(ranks) == 0 || len(ranks) == g.Ranks
	for i, r := range ranks {
		world = world && int(r) == i
	}
	if world {
		return nil
	}
	return ranks
}

// right reports whether all ranks exist, and each is there once.
func (g *Groups) right(ranks []int32) bool {
	seen := make(map[int32]bool, len(ranks))
	for _, r := range ranks {
		if r < 0 || int(r) >= g.Ranks || seen[r] {
			return false
		}
		seen[r] = true
	}
	return true
}

// Own are the names by which a rank knows process groups.
type Own struct {
	groups *Groups
	names  map[string][]string // in order, by ranks
}

// Own returns those of a rank that knows none yet.
func (g *Groups) Own() *Own { return &Own{g, map[string][]string{}} }

// Note notes a group, which is that of all ranks if there are none.
func (o *Own) Note(name string, ranks []int32) {
	key := fmt.Sprint(o.groups.short(ranks))
	if i, known := slices.BinarySearch(o.names[key], name); !known {
		o.names[key] = slices.Insert(o.names[key], i, name)
	}
}

// Add returns the index of a group. It returns false if a rank of it does not exist or is there twice.
// All groups of the rank must have been noted.
func (o *Own) Add(name string, ranks []int32) (index int32, right bool) {
	if !o.groups.right(ranks) {
		return 0, false
	}
	ranks = o.groups.short(ranks)
	number, _ := slices.BinarySearch(o.names[fmt.Sprint(ranks)], name)
	return o.groups.add(ranks, number), true
}

// ParseRanks parses a list of ranks, such as [0, 1, 2]. Long lists lack some, "[0, 1, ..., 7]": then
// whole is false.
func ParseRanks(text string) (ranks []int32, whole bool, err error) {
	text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), `"`))
	if text == "" {
		return nil, true, nil
	}
	before, _, cut := strings.Cut(text, "...")
	if cut {
		text = strings.TrimRight(strings.TrimSpace(before), ",") + "]"
	}
	if json.Unmarshal([]byte(text), &ranks) != nil {
		return nil, false, fmt.Errorf("a list of ranks, such as [0, 1]")
	}
	return ranks, !cut, nil
}

// Part returns the group of a rank if groups of so many ranks with a stride divide all.
func Part(rank, size, stride int) []int32 {
	whole := size * stride
	return Regular(rank-rank%whole+rank%stride, stride, size)
}

// Regular returns a group of so many ranks from first on.
func Regular(first, stride, size int) []int32 {
	ranks := make([]int32, size)
	for i := range ranks {
		ranks[i] = int32(first + i*stride)
	}
	return ranks
}
