package torch

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Groups are process groups. Those of the same ranks are one.
type Groups struct {
	Lists [][]int32 // the first is the world, nil
	known map[string]int32
	Ranks int // of the world
}

// NewGroups returns the groups of so many ranks, with the world alone.
func NewGroups(ranks int) *Groups {
	return &Groups{Lists: [][]int32{nil}, known: map[string]int32{}, Ranks: ranks}
}

// Add returns the index of the group of some ranks. It returns false if one of them does not exist or
// is there twice.
func (g *Groups) Add(ranks []int32) (index int32, right bool) {
	world, seen := len(ranks) == g.Ranks, make(map[int32]bool, len(ranks))
	for i, r := range ranks {
		if r < 0 || int(r) >= g.Ranks || seen[r] {
			return 0, false
		}
		seen[r] = true
		world = world && int(r) == i
	}
	if world || len(ranks) == 0 {
		return 0, true
	}
	key := fmt.Sprint(ranks)
	index, found := g.known[key]
	if !found {
		index = int32(len(g.Lists))
		g.known[key], g.Lists = index, append(g.Lists, slices.Clone(ranks))
	}
	return index, true
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
