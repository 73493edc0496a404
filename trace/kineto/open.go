package kineto

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"fabricast/trace"
	"fabricast/trace/torch"
)

// Name is the name of the format.
const Name = "Kineto"

// marks are keys near the beginning of a profile.
var marks = []string{`"schemaVersion"`, `"traceEvents"`, `"deviceProperties"`, `"distributedInfo"`, `"baseTimeNanoseconds"`}

// Is reports whether begin is the start of a profile.
func Is(begin []byte) bool {
	text := bytes.TrimSpace(trace.Unzipped(begin))
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
	ranks  []member
}

// member is what a rank does: what its profile says or, without one, that of another rank.
type member struct {
	*profile
	groups map[int32]int32 // of another rank's profile: the group of this rank in place of that one's
}

// Open opens the profiles of all ranks. path is one of them, or the folder with them.
func Open(path string) (trace.Graph, error) {
	files, err := torch.Siblings(path, Is)
	if err != nil {
		return nil, err
	}
	of, world := map[int]*profile{}, 1
	for _, file := range files {
		p, err := readProfile(file)
		if err != nil {
			return nil, err
		}
		if other := of[p.rank]; other != nil {
			return nil, torch.SameRank(file, other.path, p.rank)
		}
		of[p.rank], world = p, max(world, p.world)
	}
	t := &profiles{groups: torch.NewGroups(world)}
	for _, rank := range slices.Sorted(maps.Keys(of)) {
		if err := of[rank].join(t.groups); err != nil {
			return nil, err
		}
	}
	return t, t.complete(of)
}

// complete finds the profile of each rank.
func (t *profiles) complete(of map[int]*profile) error {
	last := of[slices.Min(slices.Collect(maps.Keys(of)))]
	for rank := range t.groups.Ranks {
		m := member{profile: of[rank]}
		if m.profile == nil {
			m.profile = last
			var err error
			if m.groups, err = last.translate(rank, t.groups); err != nil {
				return err
			}
		}
		last = m.profile
		t.ranks = append(t.ranks, m)
	}
	return nil
}

// Format implements trace.Trace.
func (t *profiles) Format() string { return Name }

// Ranks implements trace.Trace.
func (t *profiles) Ranks() int { return len(t.ranks) }

// Groups implements trace.Trace.
func (t *profiles) Groups() [][]int32 { return t.groups.Lists }

// OpenTasks implements trace.Graph.
func (t *profiles) OpenTasks(rank int) (trace.TaskStream, error) {
	m := t.ranks[rank]
	l := m.tasks()
	if m.groups != nil {
		l.Group = func(which int32) int32 { return m.groups[which] }
		l.Tasks = append(l.Tasks, trace.Task{
			Kind: trace.TaskNothing, Skipped: fmt.Sprintf("own profile of a rank, which repeats rank %d", m.rank),
		})
	}
	return l, nil
}

// translate returns, for each group of a profile, that of a rank without a profile, which does the
// same. The groups must divide the ranks into equal parts with one stride each, and the profile must
// have no messages.
func (p *profile) translate(rank int, groups *torch.Groups) (map[int32]int32, error) {
	to := map[int32]int32{0: 0}
	if p.messages {
		return nil, p.missing(rank, "messages between ranks")
	}
	for _, group := range p.uses {
		list := groups.Lists[group]
		own := torch.Part(p.rank, len(list), stride(list))
		if !slices.Equal(own, list) || groups.Ranks%(len(list)*stride(list)) != 0 {
			return nil, p.missing(rank, fmt.Sprintf("the group %v", list))
		}
		to[group] = groups.Like(group, torch.Part(rank, len(list), stride(list)))
	}
	return to, nil
}

// stride returns the distance of the first two ranks of a group.
func stride(list []int32) int {
	if len(list) < 2 || list[1] <= list[0] {
		return 1
	}
	return int(list[1] - list[0])
}

// missing returns the error for a rank whose profile is needed.
func (p *profile) missing(rank int, why string) error {
	return &trace.Error{
		File: p.path, What: "profiles", Found: fmt.Sprintf("none of rank %d in the folder", rank),
		Expected: fmt.Sprintf("one for each rank, since that of rank %d has %s", p.rank, why),
	}
}

// join finds the groups of a profile's collectives.
func (p *profile) join(groups *torch.Groups) (err error) {
	own := groups.Own()
	for name, ranks := range p.groups {
		if len(ranks) > 0 {
			own.Note(name, ranks)
		}
	}
	for i := range p.kernels {
		if c := p.kernels[i].call; c != nil {
			if c.ranks, err = p.members(c); err != nil {
				return err
			}
			own.Note(c.group, c.ranks)
		}
	}
	for i := range p.kernels {
		c := p.kernels[i].call
		if c == nil {
			continue
		}
		index, right := own.Add(c.group, c.ranks)
		if !right {
			return p.fail(c.at, "Process Group Ranks", fmt.Sprint(c.ranks), fmt.Sprintf("ranks below %d, each once", groups.Ranks))
		}
		c.Group, c.Size = index, groups.Size(index)
		p.messages = p.messages || c.Peer >= 0
		if index > 0 && !slices.Contains(p.uses, index) {
			p.uses = append(p.uses, index)
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
