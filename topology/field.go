package topology

// galois is the finite field of q = p^n elements, represented by the integers 0 to q-1. The base-p
// digits of an element are the coefficients of a polynomial, constant term first.
type galois struct {
	p, n, q int
	exp     []int // powers of a primitive element: exp[i] = x^i for i < q-1
	log     []int // log[exp[i]] = i; log[0] is unused
}

// primePower returns the prime p and the exponent n with q = p^n. n is 0 if q is not a prime power.
func primePower(q int) (p, n int) {
	if q < 2 {
		return 0, 0
	}
	p = 2
	for q%p != 0 {
		if p*p > q {
			return q, 1
		}
		p++
	}
	for ; q%p == 0; n++ {
		q /= p
	}
	if q > 1 {
		return 0, 0
	}
	return p, n
}

// newGalois returns the field of q elements; q must be a prime power. It searches for a primitive
// polynomial of degree n, that is, one modulo which the powers of x run through all elements except
// 0. For n = 1 this is x - g with a primitive root g.
func newGalois(q int) *galois {
	p, n := primePower(q)
	f := &galois{p: p, n: n, q: q, exp: make([]int, q-1), log: make([]int, q)}
	for low := 1; low < q; low++ { // try the polynomial x^n - low, where low is of lower degree
		if f.generates(low) {
			return f
		}
	}
	panic("topology: no primitive polynomial") // unreachable: one exists for every prime power
}

// generates reports whether the powers of x run through all elements except 0 when x^n is replaced
// by the polynomial `low` of lower degree. It fills exp and log with these powers.
func (f *galois) generates(low int) bool {
	clear(f.log)
	e := 1
	for i := range f.q - 1 {
		if i > 0 && e == 1 || e == 0 {
			return false
		}
		f.exp[i], f.log[e] = e, i
		e = f.timesX(e, low)
	}
	return e == 1
}

func (f *galois) timesX(e, low int) int {
	top := e / (f.q / f.p)
	e = e % (f.q / f.p) * f.p
	for range top {
		e = f.add(e, low)
	}
	return e
}

func (f *galois) add(a, b int) int {
	sum, place := 0, 1
	for range f.n {
		sum += (a + b) % f.p * place
		a, b, place = a/f.p, b/f.p, place*f.p
	}
	return sum
}

func (f *galois) neg(a int) int {
	n, place := 0, 1
	for range f.n {
		n += (f.p - a%f.p) % f.p * place
		a, place = a/f.p, place*f.p
	}
	return n
}

func (f *galois) mul(a, b int) int {
	if a == 0 || b == 0 {
		return 0
	}
	return f.exp[(f.log[a]+f.log[b])%(f.q-1)]
}

// div returns a divided by b, which must not be 0.
func (f *galois) div(a, b int) int {
	if a == 0 {
		return 0
	}
	return f.exp[(f.log[a]-f.log[b]+f.q-1)%(f.q-1)]
}

// power returns the i-th power of the primitive element; i must not be negative.
func (f *galois) power(i int) int { return f.exp[i%(f.q-1)] }
