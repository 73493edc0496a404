package otf2

// table holds definitions by ID. In most archives the IDs are 0, 1, 2, ... in the order of the
// file; such definitions are in a slice, so that a look-up needs no hashing.
type table[T any] struct {
	first  []T          // definitions with the IDs 0, 1, ..., as long as they were added in this order
	others map[uint64]T // all other definitions
}

// put adds or replaces the definition with the given ID.
func (t *table[T]) put(id uint64, v T) {
	switch n := uint64(len(t.first)); {
	case id < n:
		t.first[id] = v
	case id == n:
		t.first = append(t.first, v)
	default:
		if t.others == nil {
			t.others = map[uint64]T{}
		}
		t.others[id] = v
	}
}

// get returns the definition with the given ID, and whether it exists.
func (t *table[T]) get(id uint64) (v T, found bool) {
	if id < uint64(len(t.first)) {
		return t.first[id], true
	}
	v, found = t.others[id]
	return v, found
}

// size returns the number of definitions.
func (t *table[T]) size() int { return len(t.first) + len(t.others) }
