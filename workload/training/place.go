package training

import "slices"

// family is a set of groups of ranks that have all ranks of one size.
type family uint8

const (
	tensorGroup     family = iota
	dataGroup              // replicas of dense parameters
	expertGroup            // among whose ranks experts are divided
	expertDataGroup        // replicas of experts
	endsGroup              // the first and the last stage, which have the tied embedding
	families
)

// layout says where ranks are. Rank = tensor + T (context + C (data + D stage)).
type layout struct{ tensor, replicas, stages, expert int }

func (j *Job) layout() layout {
	p := &j.Parallel
	return layout{p.Tensor, p.Context * p.Data, p.Pipeline, p.Expert}
}

// stageOf returns the pipeline stage of a rank.
func (l layout) stageOf(rank int) int { return rank / (l.tensor * l.replicas) }

// shape returns how the ranks of a family's groups are numbered: a group has size ranks at distance
// stride, and ranks of the same group are equal outside of these digits.
func (l layout) shape(f family) (size, stride int) {
	switch f {
	case tensorGroup:
		return l.tensor, 1
	case dataGroup:
		return l.replicas, l.tensor
	case expertGroup:
		return l.expert, l.tensor
	case expertDataGroup:
		return l.replicas / l.expert, l.tensor * l.expert
	}
	return 2, l.tensor * l.replicas * (l.stages - 1) // endsGroup
}

// groupOf returns the number of a rank's group within its family. Ranks between the first and the
// last stage are in no endsGroup.
func (l layout) groupOf(f family, rank int) int {
	size, stride := l.shape(f)
	if f == endsGroup {
		return rank % max(1, stride)
	}
	return rank/(stride*size)*stride + rank%stride
}

// groups returns the number of groups of a family.
func (l layout) groups(f family) int {
	if f == endsGroup {
		if l.stages == 1 {
			return 0
		}
		return l.tensor * l.replicas
	}
	size, _ := l.shape(f)
	return l.tensor * l.replicas * l.stages / size
}

// members lists the ranks of all groups, family after family, after a nil list for all ranks.
// first[f] is the index of the first group of a family.
func (l layout) members() (lists [][]int32, first [families]int) {
	lists = append(lists, nil)
	for f := range families {
		first[f] = len(lists)
		size, stride := l.shape(f)
		lists = slices.Grow(lists, l.groups(f))
		for g := range l.groups(f) {
			base := g/stride*stride*size + g%stride
			list := make([]int32, size)
			for i := range list {
				list[i] = int32(base + i*stride)
			}
			lists = append(lists, list)
		}
	}
	return lists, first
}

// sizes returns the number of ranks of a group of each family.
func (l layout) sizes() (n [families]int) {
	for f := range families {
		n[f], _ = l.shape(f)
	}
	if l.stages == 1 {
		n[endsGroup] = 1
	}
	return n
}
