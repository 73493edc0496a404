package partners

// Bucket is the schedule of rings in each dimension of a grid, one dimension after the other
// (Barnett et al., 1993; Jain and Sabharwal, ICS 2010).
type Bucket struct {
	dims, strides []int
	order         []int // dimensions, in the order of their rings
	by            int   // 1 or -1: the side to which rings turn
	index         []int // by dimension: the distance between neighbours in the order of chunks
}

// NewBucket returns the schedule that begins with the ring of dimension first. mirror makes the
// rings turn to the other side.
func NewBucket(dims []int, first int, mirror bool) *Bucket {
	b := &Bucket{dims: dims, by: 1, index: make([]int, len(dims))}
	if mirror {
		b.by = -1
	}
	size := 0
	size, b.strides = sizeOf(dims)
	for i := range dims {
		d := (first + i) % len(dims)
		b.order = append(b.order, d)
		size /= dims[d]
		b.index[d] = size
	}
	return b
}

// Index implements Rounds. What a message carries is in one piece.
func (b *Bucket) Index(place int) (i int) {
	for d, k := range b.dims {
		i += place / b.strides[d] % k * b.index[d]
	}
	return i
}

// Count implements Rounds.
func (b *Bucket) Count() (n int) {
	for _, k := range b.dims {
		n += k - 1
	}
	return n
}

// Round implements Rounds.
func (b *Bucket) Round(i, place int) Round {
	stage := 0
	for ; i >= b.dims[b.order[stage]]-1; stage++ {
		i -= b.dims[b.order[stage]] - 1
	}
	d := b.order[stage]
	k, stride := b.dims[d], b.strides[d]
	at := place / stride % k
	around := func(n int) int { return place + (((at+n*b.by)%k+k)%k-at)*stride }
	return Round{
		To: around(1), From: around(-1),
		Send: b.plane(stage, around(-1-i)), Recv: b.plane(stage, around(-2-i)),
	}
}

// plane lists the places that differ from a place only in the dimensions of later stages, in the
// order of their chunks.
func (b *Bucket) plane(stage, place int) []int32 {
	base := place
	for _, d := range b.order[stage+1:] {
		base -= place / b.strides[d] % b.dims[d] * b.strides[d]
	}
	list := []int32{int32(base)}
	for _, d := range b.order[stage+1:] {
		longer := make([]int32, 0, len(list)*b.dims[d])
		for _, p := range list {
			for c := range b.dims[d] {
				longer = append(longer, p+int32(c*b.strides[d]))
			}
		}
		list = longer
	}
	return list
}
