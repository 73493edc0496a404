package partners

// Swinging is the schedule of Swing (De Sensi et al., NSDI 2024) and of Bine trees (De Sensi et al.,
// SC 2025) on a grid of places. In a step, all places exchange along one dimension with the place at
// distance 1, 1, 3, 5, 11 and so on, that is |1 - (-2)^k| / 3, to alternating sides: even places to
// one side, odd places to the other. The distances are about a third shorter than powers of two.
//
// In a dimension of odd size the sides of even and odd places would meet at the wrap. There, all
// places send to the side of (-2)^k at this distance, and receive from the other side. The papers
// leave out a place instead, which exchanges each chunk by itself.
type Swinging struct {
	dims, strides []int
	size          int
	steps         []swing
	mirror        bool
}

// swing is a step along a dimension.
type swing struct{ dim, distance int }

// NewSwinging returns the schedule whose steps go through the dimensions in turn, beginning with
// dimension first. Dimensions that need fewer steps are passed over in the end. mirror exchanges the
// sides.
func NewSwinging(dims []int, first int, mirror bool) *Swinging {
	b := &Swinging{dims: dims, mirror: mirror}
	b.size, b.strides = sizeOf(dims)
	for level, more := 0, true; more; level++ {
		more = false
		for i := range dims {
			d := (first + i) % len(dims)
			if level < Log2(dims[d]) {
				more = true
				b.steps = append(b.steps, swing{d, swingBy(level, dims[d])})
			}
		}
	}
	return b
}

// swingBy returns the distance of a step in a dimension of k places, with its sign.
func swingBy(level, k int) int {
	power, sum := 1, 1
	for range level {
		power *= -2
		sum += power
	}
	if k%2 != 0 {
		return power
	}
	return sum
}

// To returns the place to which a place sends in a step.
func (b *Swinging) To(step, place int) int { return b.other(step, place, false) }

// From returns the place from which a place receives in a step.
func (b *Swinging) From(step, place int) int { return b.other(step, place, true) }

func (b *Swinging) other(step, place int, back bool) int {
	s := b.steps[step]
	k, stride := b.dims[s.dim], b.strides[s.dim]
	at := place / stride % k
	by := s.distance
	switch {
	case k%2 != 0:
		if back {
			by = -by
		}
	case at%2 != 0:
		by = -by
	}
	if b.mirror {
		by = -by
	}
	to := (at + by) % k
	if to < 0 {
		to += k
	}
	return place + (to-at)*stride
}

// Count implements Rounds.
func (b *Swinging) Count() int { return len(b.steps) }

// Index implements Rounds.
func (b *Swinging) Index(place int) int { return place }

// Round implements Rounds. A chunk leaves a place in the latest step after which the place that gets
// it can still pass it on to its owner. So a place has all that others add to a chunk before it sends
// it, whether or not numbers of places are powers of two.
func (b *Swinging) Round(step, place int) Round {
	r := Round{To: b.To(step, place), From: b.From(step, place)}
	r.Send, r.Recv = b.sent(step, place), b.sent(step, r.From)
	return r
}

// halves reports whether each step halves the chunks that a place deals with.
func (b *Swinging) halves() bool { return b.size == 1<<len(b.steps) }

// sent lists the places whose chunks a place sends in a step.
func (b *Swinging) sent(step, place int) []int32 {
	if b.halves() {
		return b.reach(step+1, b.To(step, place))
	}
	keeps := make([]bool, b.size)
	for _, p := range b.reach(step+1, place) {
		keeps[p] = true
	}
	var list []int32
	for _, p := range b.reach(step+1, b.To(step, place)) {
		if !keeps[p] {
			list = append(list, p)
		}
	}
	return list
}

// reach lists the places to which data of a place can come in the steps from a given one on.
func (b *Swinging) reach(step, place int) []int32 {
	list := append(make([]int32, 0, min(b.size, 1<<(len(b.steps)-step))), int32(place))
	if b.halves() {
		for s := step; s < len(b.steps); s++ {
			for _, p := range list {
				list = append(list, int32(b.To(s, int(p))))
			}
		}
		return list
	}
	seen := make([]bool, b.size)
	seen[place] = true
	for s := step; s < len(b.steps); s++ {
		for _, p := range list {
			if to := b.To(s, int(p)); !seen[to] {
				seen[to] = true
				list = append(list, int32(to))
			}
		}
	}
	return list
}
