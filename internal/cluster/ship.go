package cluster

// mostAtOnce is the largest number of bytes that Ship sends to a process in one message. MPI counts
// bytes with 31 bits.
const mostAtOnce = 1 << 28

// Ship is Exchange for any amount of data. Its result remains valid.
func Ship(g Collective, to [][]byte) (from [][]byte) {
	return ship(g, to, mostAtOnce)
}

func ship(g Collective, to [][]byte, most int) (from [][]byte) {
	from = make([][]byte, g.Size())
	rest, now := append([][]byte(nil), to...), make([][]byte, g.Size())
	for more := []int64{-1}; more[0] < 0; {
		more[0] = 0
		for p := range rest {
			n := min(len(rest[p]), most)
			now[p], rest[p] = rest[p][:n], rest[p][n:]
			if len(rest[p]) > 0 {
				more[0] = -1
			}
		}
		for p, data := range g.Exchange(now) {
			if p != g.Rank() {
				from[p] = append(from[p], data...)
			}
		}
		g.Least(more)
	}
	return from
}
