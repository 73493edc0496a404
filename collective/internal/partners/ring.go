package partners

// Above returns the next rank on a ring of p ranks.
func Above(rank, p int) int {
	if rank+1 == p {
		return 0
	}
	return rank + 1
}

// Below returns the previous rank on a ring of p ranks.
func Below(rank, p int) int {
	if rank == 0 {
		return p - 1
	}
	return rank - 1
}
