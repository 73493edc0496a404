package partners

// Round is a round of a reduce-scatter among places, as one place sees it: it sends what it has of
// the chunks of some places to a place, and receives others. Backwards, with all directions
// reversed, the rounds are those of an allgather.
type Round struct {
	To, From   int
	Send, Recv []int32 // places whose chunks are sent and received, in the order of the message
}

// Rounds is a schedule of rounds. It computes each when it is needed, because all of them together
// have as many places as there are.
type Rounds interface {
	// Count returns the number of rounds.
	Count() int
	// Round returns a round of a place.
	Round(i, place int) Round
	// Index returns the position of a place's chunk among all, for which messages are in one piece as
	// far as possible.
	Index(place int) int
}

// sizeOf returns the number of places of a grid, and the distance in numbers between neighbours in
// each dimension. The first dimension varies fastest.
func sizeOf(dims []int) (size int, strides []int) {
	size = 1
	for _, k := range dims {
		strides = append(strides, size)
		size *= k
	}
	return size, strides
}
