package topology

import "math"

// box returns the sizes of at most the given number of dimensions. The sizes are as equal as
// possible, and their product is at least n.
func box(n, dimensions int) (dims []int) {
	for d := dimensions; d > 0; d-- {
		k := root(n, d)
		if k > 1 {
			dims = append(dims, k)
		}
		n = (n + k - 1) / k
	}
	if dims == nil {
		dims = []int{1}
	}
	return dims
}

// root returns the smallest integer whose power-th power is at least n.
func root(n, power int) int {
	k := max(1, int(math.Pow(float64(n), 1/float64(power))))
	for raised(k, power) < n {
		k++
	}
	for k > 1 && raised(k-1, power) >= n {
		k--
	}
	return k
}

func raised(k, power int) int {
	product := 1
	for range power {
		product *= k
	}
	return product
}

// treeLevels returns the number of levels of a tree with n hosts: 2 if switches of at most 64 ports
// suffice, and 3 otherwise.
func treeLevels(n int) int {
	if n <= 64*64/2 {
		return 2
	}
	return 3
}
