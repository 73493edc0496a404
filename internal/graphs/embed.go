package graphs

import "math"

// Embed computes positions of the routers by spectral layout (Hall, Management Science 1970; Koren,
// COCOON 2003): the eigenvectors of the random walk on the network with the largest eigenvalues
// after the constant one. It returns axes coordinates for all routers, from -1 to 1.
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

// embedSteps is the number of steps of the walk: enough for drawings and initial divisions.
const embedSteps = 300

// axis computes one eigenvector by repeated steps of the lazy random walk. It keeps the vector
// orthogonal (weighted by degree) to the constant vector and to those found before.
func (n *Net) axis(number int, found [][]float64) []float64 {
	v, next := make([]float64, n.Routers()), make([]float64, n.Routers())
	for r := range v { // any start vector will do that is not orthogonal to the eigenvector
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

// orthogonal subtracts from v its component along u, or along the constant vector if u is nil.
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

// scale scales a vector such that its largest magnitude is 1.
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
