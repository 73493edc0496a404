package topology

// Parts are the connected parts of a network while links are added to it, by a forest of routers
// (Galler and Fisher, CACM 1964).
type Parts []int32

// NewParts returns the parts of a network without links.
func NewParts(routers int) Parts {
	p := make(Parts, routers)
	for r := range p {
		p[r] = int32(r)
	}
	return p
}

// Of returns the lowest router of the part of a router.
func (p Parts) Of(r int32) int32 {
	for p[r] != r {
		r = p[r]
	}
	return r
}

// Join adds a link between two routers. It reports whether they were in different parts.
func (p Parts) Join(a, b int32) bool {
	a, b = p.shortened(a), p.shortened(b)
	p[max(a, b)] = min(a, b)
	return a != b
}

// shortened is Of, and halves the way to it.
func (p Parts) shortened(r int32) int32 {
	for p[r] != r {
		p[r] = p[p[r]]
		r = p[r]
	}
	return r
}
