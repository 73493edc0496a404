package partition

import (
	"fmt"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/topology"
)

// Parts is a partition given by the user: the part of each router.
type Parts []int32

// Read reads a partition with one line per router, in index order. A line holds the router's part
// number, from 0. METIS and Scotch write this format. # begins a comment. An error is a
// *failure.ConfigError that names the line.
func Read(name, text string, routers int) (Parts, error) {
	source := &config.Source{Name: name, Text: strings.TrimPrefix(text, "\ufeff")}
	var parts Parts
	var problems config.First
	at := config.Position{Source: source}
	fail := func(found, expected string) {
		at.Column, at.Width = 1, 1
		problems.Add(config.Problem{Position: at, Field: "part", Found: found, Expected: expected})
	}
	for line := range strings.Lines(source.Text) {
		at.Line++
		written, _, _ := strings.Cut(line, "#")
		word := strings.TrimSpace(written)
		if word == "" {
			continue
		}
		part, err := strconv.ParseInt(word, 10, 32)
		if err != nil || part < 0 || int(part) >= routers {
			fail(word, fmt.Sprintf("a number from 0 to %d", routers-1))
		}
		parts = append(parts, int32(part))
	}
	if at.Line = max(at.Line, 1); problems.Count() == 0 && len(parts) != routers {
		fail(fmt.Sprintf("%d parts", len(parts)), fmt.Sprintf("one for each of the %d routers", routers))
	}
	if problems.Count() > 0 {
		return nil, failure.NewConfigError(problems.Problems())
	}
	return parts, nil
}

// Blocks converts the parts to the given number of blocks. If there are more parts than blocks, it
// merges consecutive parts. If there are fewer, it splits parts into ranges of consecutive routers.
// It returns nil if a block would have no router, because parts are too small or part numbers are
// unused.
func (p Parts) Blocks(g *topology.Graph, blocks int) []int32 {
	most := int32(0)
	for _, part := range p {
		most = max(most, part)
	}
	count := int(most) + 1
	list := make([]int32, len(p))
	if count >= blocks {
		for r, part := range p {
			list[r] = int32(int(part) * blocks / count)
		}
		return whole(list, blocks)
	}
	totals, sums := make([]int64, count), make([]int64, count)
	for r, part := range p {
		totals[part] += weight(g, int32(r))
	}
	for r, part := range p {
		first, end := int(part)*blocks/count, (int(part)+1)*blocks/count
		list[r] = int32(first + int(sums[part]*int64(end-first)/totals[part]))
		sums[part] += weight(g, int32(r))
	}
	return whole(list, blocks)
}

// whole returns the partition in list if each of the given number of blocks has a router, otherwise
// nil.
func whole(list []int32, blocks int) []int32 {
	used := make([]bool, blocks)
	for _, block := range list {
		used[block] = true
	}
	for _, u := range used {
		if !u {
			return nil
		}
	}
	return list
}
