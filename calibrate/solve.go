package calibrate

import "math"

// matrix is a square matrix, by rows.
type matrix [][]float64

func newMatrix(n int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// inverse returns the inverse of a symmetric positive definite matrix by Cholesky decomposition, or
// nil if the matrix is not positive definite.
func (m matrix) inverse() matrix {
	n := len(m)
	l := newMatrix(n)
	for i := range n {
		for j := range i + 1 {
			sum := m[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			switch {
			case i != j:
				l[i][j] = sum / l[j][j]
			case sum <= 1e-12*m[i][i] || math.IsNaN(sum):
				return nil
			default:
				l[i][i] = math.Sqrt(sum)
			}
		}
	}
	inverse := newMatrix(n)
	for c := range n {
		x := make([]float64, n)
		for i := range n { // forward substitution
			if i == c {
				x[i] = 1
			}
			for k := range i {
				x[i] -= l[i][k] * x[k]
			}
			x[i] /= l[i][i]
		}
		for i := n - 1; i >= 0; i-- { // backward substitution
			for k := i + 1; k < n; k++ {
				x[i] -= l[k][i] * x[k]
			}
			x[i] /= l[i][i]
		}
		for i := range n {
			inverse[i][c] = x[i]
		}
	}
	return inverse
}

// times returns the product of the matrix with a vector.
func (m matrix) times(v []float64) []float64 {
	p := make([]float64, len(v))
	for i := range m {
		for j := range v {
			p[i] += m[i][j] * v[j]
		}
	}
	return p
}

// normal returns JᵀWJ and JᵀWr for residuals r, their derivatives J by parameter, and weights W.
func normal(j [][]float64, r, w []float64) (matrix, []float64) {
	n := len(j)
	a, b := newMatrix(n), make([]float64, n)
	for p := range n {
		for q := range n {
			for i := range r {
				a[p][q] += j[p][i] * w[i] * j[q][i]
			}
		}
		for i := range r {
			b[p] += j[p][i] * w[i] * r[i]
		}
	}
	return a, b
}
