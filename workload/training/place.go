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

// layout says where ranks are. Rank = tensor + T (context + C (data + D stage)). If it is mirrored,
// a stage and that at the mirror place of the pipeline have the same parameters.
type layout struct {
	tensor, replicas, stages, expert int
	mirrored                         bool
}

func (j *Job) layout() layout {
	p := &j.Parallel
	return layout{p.Tensor, p.Context * p.Data, p.Pipeline, p.Expert, j.mirrored()}
}

// stageOf returns the pipeline stage of a rank.
func (l layout) stageOf(rank int) int { return rank / (l.tensor * l.replicas) }

// doubled reports whether the groups of a family also have the ranks of the mirror stage.
func (l layout) doubled(f family) bool { return l.mirrored && (f == dataGroup || f == expertDataGroup) }

// mirror returns the rank at the same place of the mirror stage.
func (l layout) mirror(rank int) int {
	return rank + (l.stages-1-2*l.stageOf(rank))*l.tensor*l.replicas
}

// placeOf returns the place of a rank in its expert group.
func (l layout) placeOf(rank int) int { return rank / l.tensor % l.expert }

// shape returns how the ranks of a family's groups on one stage are numbered: a group has size ranks
// at distance stride, and ranks of the same group are equal outside of these digits.
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
	if l.doubled(f) {
		rank = min(rank, l.mirror(rank))
	}
	return rank/(stride*size)*stride + rank%stride
}

// groups returns the number of groups of a family.
func (l layout) groups(f family) int {
	if f == endsGroup {
		if l.stages == 1 || l.mirrored {
			return 0
		}
		return l.tensor * l.replicas
	}
	size, _ := l.shape(f)
	if l.doubled(f) {
		size *= 2
	}
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
			if l.doubled(f) {
				for _, rank := range list[:size:size] {
					list = append(list, int32(l.mirror(int(rank))))
				}
			}
			lists = append(lists, list)
		}
	}
	return lists, first
}

// sizes returns the number of ranks of a group of each family.
func (l layout) sizes() (n [families]int) {
	for f := range families {
		if n[f], _ = l.shape(f); l.doubled(f) {
			n[f] *= 2
		}
	}
	if l.stages == 1 || l.mirrored {
		n[endsGroup] = 1
	}
	return n
}
