package snapshot

// Snapshot is a state saved in memory. The zero value is ready for use. Each save reuses the memory
// of the previous one, so that nothing is allocated once it has grown.
type Snapshot struct {
	// Exact makes Save clear the padding bytes of structs, for Equal. That takes time.
	Exact   bool
	bytes   []byte
	visitor Visitor
}

// Save saves the state that walk visits.
func (s *Snapshot) Save(walk func(*Visitor)) {
	s.visitor = Visitor{bytes: s.bytes[:0], exact: s.Exact}
	walk(&s.visitor)
	s.bytes = s.visitor.bytes
}

// Restore restores the state that walk visits. It panics if the state was saved by a different
// walk.
func (s *Snapshot) Restore(walk func(*Visitor)) {
	s.visitor = Visitor{restores: true, bytes: s.bytes}
	walk(&s.visitor)
	if s.visitor.err != nil || len(s.visitor.bytes) > 0 {
		panic(errOther)
	}
}

// Pack returns the state that walk visits, for Unpack in another process that runs the same
// program.
func Pack(walk func(*Visitor)) []byte {
	v := Visitor{}
	walk(&v)
	return v.bytes
}

// Unpack restores the state that walk visits from the result of Pack in another process. The parts
// visited must have been newly created for it (see Visitor.Fresh).
func Unpack(data []byte, walk func(*Visitor)) error {
	v := Visitor{restores: true, bytes: data, fill: func() ([]byte, bool, error) { return nil, false, errOther }}
	walk(&v)
	if len(v.bytes) > 0 {
		v.Fail(errOther)
	}
	return v.err
}

// Size returns the size of the saved state in bytes.
func (s *Snapshot) Size() int { return len(s.bytes) }

// Equal reports whether two snapshots of one walk hold the same state. Unless both are Exact,
// padding bytes of structs are compared, too: they may differ even if all values are equal.
func (s *Snapshot) Equal(t *Snapshot) bool { return string(s.bytes) == string(t.bytes) }
