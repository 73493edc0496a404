package kineto

import (
	"bytes"
	"fmt"

	"fabricast/trace"
	"fabricast/trace/torch"
)

// Name is the name of the format.
const Name = "Kineto"

// marks are keys near the beginning of a profile.
var marks = []string{`"schemaVersion"`, `"traceEvents"`, `"deviceProperties"`, `"distributedInfo"`, `"baseTimeNanoseconds"`}

// Is reports whether begin is the start of a profile.
func Is(begin []byte) bool {
	text := bytes.TrimSpace(torch.Unzipped(begin))
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	for _, mark := range marks {
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return false
}

// profiles is an opened trace, of which all kernels are in memory.
type profiles struct {
	groups *torch.Groups
	ranks  []*profile
}

// Open opens the profiles of all ranks. path is one of them, or the folder with them.
func Open(path string) (trace.Graph, error) {
	files, err := torch.Siblings(path, Is)
	if err != nil {
		return nil, err
	}
	var read []*profile
	var ranks []int
	world := 1
	for _, file := range files {
		p, err := readProfile(file)
		if err != nil {
			return nil, err
		}
		read, ranks, world = append(read, p), append(ranks, p.rank), max(world, p.world)
	}
	sorted, err := torch.ByRank(files, ranks, world)
	if err != nil {
		return nil, err
	}
	of := map[string]*profile{}
	for _, p := range read {
		of[p.path] = p
	}
	t := &profiles{groups: torch.NewGroups(world)}
	for _, file := range sorted {
		p := of[file]
		if err := p.join(t.groups); err != nil {
			return nil, err
		}
		t.ranks = append(t.ranks, p)
	}
	return t, nil
}

// Format implements trace.Trace.
func (t *profiles) Format() string { return Name }

// Ranks implements trace.Trace.
func (t *profiles) Ranks() int { return len(t.ranks) }

// Groups implements trace.Trace.
func (t *profiles) Groups() [][]int32 { return t.groups.Lists }

// OpenTasks implements trace.Graph.
func (t *profiles) OpenTasks(rank int) (trace.TaskStream, error) {
	return t.ranks[rank].tasks(), nil
}

// join finds the groups of a profile's collectives.
func (p *profile) join(groups *torch.Groups) error {
	for i := range p.kernels {
		c := p.kernels[i].call
		if c == nil {
			continue
		}
		ranks, err := p.members(c)
		if err != nil {
			return err
		}
		index, right := groups.Add(ranks)
		if !right {
			return p.fail(c.at, "Process Group Ranks", fmt.Sprint(ranks), fmt.Sprintf("ranks below %d, each once", groups.Ranks))
		}
		c.Group, c.Size = index, len(ranks)
		if index == 0 {
			c.Size = groups.Ranks
		}
		if c.Peer >= int32(groups.Ranks) {
			return p.fail(c.at, "Src Rank or Dst Rank", fmt.Sprint(c.Peer), fmt.Sprintf("a rank below %d", groups.Ranks))
		}
	}
	return nil
}

// members returns the ranks of a call's group: those that it lists, or that the profile lists for its
// group if some are left out; none for all ranks.
func (p *profile) members(c *call) ([]int32, error) {
	switch listed := p.groups[c.group]; {
	case c.whole && len(c.ranks) > 0:
		return c.ranks, nil
	case len(listed) > 0:
		return listed, nil
	case c.stride > 0 && c.size > 0:
		return torch.Regular(c.first, c.stride, c.size), nil
	case c.size == p.world || c.size == 0 && len(c.ranks) == 0:
		return nil, nil
	}
	return nil, p.fail(c.at, "Process Group Ranks", fmt.Sprintf("some of %d ranks", c.size),
		"all, here or in distributedInfo.pg_config")
}
