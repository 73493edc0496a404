package otf2

// table holds definitions by their numbers. Most archives number them from 0 on and list them in
// that order; then finding one takes no hashing.
type table[T any] struct {
	first  []T          // numbers 0 and on, as far as they came in order
	others map[uint64]T // all others
}

// put adds or replaces a definition.
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

// get returns a definition, and whether there is one.
func (t *table[T]) get(id uint64) (v T, found bool) {
	if id < uint64(len(t.first)) {
		return t.first[id], true
	}
	v, found = t.others[id]
	return v, found
}

// size returns the number of definitions.
func (t *table[T]) size() int { return len(t.first) + len(t.others) }
