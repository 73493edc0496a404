package dumpi

// datatypes maps the IDs of functions that create a datatype to functions that return its handle
// and its size in bytes. The sizes are also in a section of the file, but a truncated file has no
// such section.
var datatypes = map[uint16]func(s *stream, r *record) (made, size int64){
	// contiguous
	35: func(s *stream, r *record) (int64, int64) { return r.ints[2], s.times(r.ints[0], r.ints[1]) },
	36: vector,
	37: vector,
	38: indexed,
	39: indexed,
	40: structure,
	// dup
	178: func(s *stream, r *record) (int64, int64) { return r.ints[1], s.times(1, r.ints[0]) },
	218: indexed,
	219: vector,
	// indexed_block
	220: func(s *stream, r *record) (int64, int64) { return r.ints[3], s.times(r.ints[0]*r.ints[1], r.ints[2]) },
	// resized
	221: func(s *stream, r *record) (int64, int64) { return r.ints[3], s.times(1, r.ints[0]) },
	222: structure,
	223: func(s *stream, r *record) (int64, int64) { // subarray
		n := int64(1)
		for _, size := range r.lists[1] {
			n = min(1<<31, n*int64(max(0, size)))
		}
		return r.ints[3], s.times(n, r.ints[2])
	},
}

func vector(s *stream, r *record) (made, size int64) {
	return r.ints[4], s.times(r.ints[0]*r.ints[1], r.ints[3])
}

func indexed(s *stream, r *record) (made, size int64) {
	n := int64(0)
	for _, length := range r.lists[0] {
		n += int64(length)
	}
	return r.ints[2], s.times(n, r.ints[1])
}

func structure(s *stream, r *record) (made, size int64) {
	for i, length := range r.lists[0] {
		if i >= len(r.lists[2]) {
			break
		}
		n := s.times(int64(length), int64(r.lists[2][i]))
		if n < 0 {
			return r.ints[1], -1
		}
		size = min(size+n, maxBytes)
	}
	return r.ints[1], size
}

// times returns the size, in bytes, of n elements of a datatype; negative if unknown.
func (s *stream) times(n, datatype int64) int64 {
	if n < 0 || n > maxBytes || !s.sized(datatype) {
		return -1
	}
	size := s.sizes[datatype]
	if size > maxBytes/max(1, n) {
		return -1
	}
	return n * size
}

// datatype handles a call that creates a datatype: it stores the size of the datatype.
func (s *stream) datatype(r *record) {
	made, size := datatypes[r.function](s, r)
	if size < 0 || made < int64(len(builtIn)) {
		return
	}
	for !s.sized(made) {
		s.sizes = append(s.sizes, 0)
	}
	s.sizes[made] = size
}
