package graphs

import "math"

// Embed places every router by the eigenvectors of the random walk on the
// network that fade most slowly, beside the constant one (spectral layout: Hall,
// Management Science 1970; Koren, COCOON 2003). It returns that many coordinates
// of all routers, from -1 to 1.
func (n *Net) Embed(axes int) [][]float64 {
	var found [][]float64
	for axis := range axes {
		v := n.axis(axis, found)
		found = append(found, v)
	}
	for _, v := range found {
		scale(v)
	}
	return found
}

// steps of the walk; enough to look at, and to divide by.
const embedSteps = 300

// axis finds one eigenvector by repeated steps of the lazy walk, kept orthogonal
// (by degree) to the constant vector and those found before.
func (n *Net) axis(number int, found [][]float64) []float64 {
	v, next := make([]float64, n.Routers()), make([]float64, n.Routers())
	for r := range v { // any start will do that is not orthogonal to the vector sought
		v[r] = math.Sin(float64(r)*(0.7+float64(number)) + float64(number))
	}
	for range embedSteps {
		n.orthogonal(v, nil)
		for _, f := range found {
			n.orthogonal(v, f)
		}
		var length float64
		for r := range v {
			peers := n.Peers(r)
			sum := 0.0
			for _, p := range peers {
				sum += v[p]
			}
			next[r] = v[r]
			if len(peers) > 0 {
				next[r] = (v[r] + sum/float64(len(peers))) / 2
			}
			length += next[r] * next[r]
		}
		if length = math.Sqrt(length); length == 0 {
			return v
		}
		for r := range v {
			v[r] = next[r] / length
		}
	}
	return v
}

// orthogonal takes from v its part along u, or along the constant vector.
func (n *Net) orthogonal(v, u []float64) {
	var dot, norm float64
	at := func(r int) float64 {
		if u == nil {
			return 1
		}
		return u[r]
	}
	for r := range v {
		degree := float64(len(n.Peers(r)))
		dot += degree * v[r] * at(r)
		norm += degree * at(r) * at(r)
	}
	if norm == 0 {
		return
	}
	for r := range v {
		v[r] -= dot / norm * at(r)
	}
}

// scale stretches a vector to reach 1.
func scale(v []float64) {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	if most > 0 {
		for i := range v {
			v[i] /= most
		}
	}
}
