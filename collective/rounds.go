package collective

// Rounds are consecutive rounds of an algorithm, each of which is a single blocking call (see Comm.Round). They have
// buffers without contents, so the other fields and the rank determine what a round does. Equal Rounds are the same.
type Rounds struct {
	By     Rounder
	N      int // number of rounds
	Bytes  int // size of the buffer
	Pieces int // number of pieces of each of its chunks, if it is divided into pieces, and the current one
	Piece  int
	Op     *Op
}

// Rounder executes rounds of an algorithm. Its type has no fields.
type Rounder interface {
	// Round executes round k of r.
	Round(c Comm, r Rounds, k int)
}

// Repeater is a Comm that can continue in the middle of rounds, without what precedes them in the program.
type Repeater interface {
	Comm
	// Repeat executes the rounds, like Rounds.On.
	Repeat(r Rounds)
}

// On executes the rounds at a rank.
func (r Rounds) On(c Comm) {
	if l, ok := c.(Repeater); ok {
		l.Repeat(r)
		return
	}
	for k := c.Round(0, r.N); k < r.N; k = c.Round(k+1, r.N) {
		r.By.Round(c, r, k)
	}
}
