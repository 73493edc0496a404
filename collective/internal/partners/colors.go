package partners

// ColorShape returns a place's position in a spanning tree of a grid: a message goes along all of the
// root's line in dimension first, from there along the lines of the next dimension, and so on, always
// from neighbour to neighbour. mirror makes it go to the other side. The trees of different dimensions
// and sides on a torus share few links, or none (Watts and van de Geijn, A pipelined broadcast for
// multidimensional meshes, Parallel Processing Letters 1995).
func ColorShape(dims []int, root, first int, mirror bool, place int) Shape {
	_, strides := sizeOf(dims)
	by := 1
	if mirror {
		by = -1
	}
	// at is the distance from the root in the direction of the tree
	at := func(d int) int {
		k := dims[d]
		return (by*(place/strides[d]%k-root/strides[d]%k)%k + k) % k
	}
	neighbour := func(d, step int) int {
		k := dims[d]
		c := place / strides[d] % k
		return place + ((c+by*step+k)%k-c)*strides[d]
	}
	s := Shape{Parent: -1}
	last := -1 // the position in the order of dimensions of the last in which the place is off the root's line
	for i := range dims {
		if d := (first + i) % len(dims); at(d) > 0 {
			last = i
		}
	}
	if last >= 0 {
		s.Parent = neighbour((first+last)%len(dims), -1)
	}
	for i := max(last, 0); i < len(dims); i++ {
		if d := (first + i) % len(dims); at(d)+1 < dims[d] {
			s.Children = append(s.Children, neighbour(d, 1))
		}
	}
	return s
}
