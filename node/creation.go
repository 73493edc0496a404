package node

// Creation identifies a communicator that a program makes. Every run of the program makes it by the
// same one, whatever number it gets.
type Creation struct {
	Kind CreationKind
	// Of is a context of the communicator that it is made of, or a rank that makes it alone. Number
	// distinguishes the calls there, First those of one call.
	Of, Number, First int32
}

// CreationKind is how a communicator is made.
type CreationKind int32

// Ways to make a communicator.
const (
	createdBefore CreationKind = iota // it was known before the run
	CreatedBySplit
	CreatedForWindow
	CreatedBetween // two groups
	CreatedAlone   // by one rank
	CreatedOfSelf  // all communicators of one rank
)

// creations are the numbers of the communicators of a world that keeps a journal.
type creations struct {
	numbers map[Creation]int32 // nil if it keeps none
	known   int32              // how many were known before the run
	// a program runs again, and its communicators get the numbers that they had
	again bool
}

// contextsOf registers a communicator.
func (w *World) contextsOf(c Creation, ranks []int32) int32 {
	x := &w.contexts
	x.Lock()
	defer x.Unlock()
	if c.Kind == createdBefore && x.numbers != nil {
		c.Number = x.known
		x.known++
	}
	n := x.numberOf(c, int32(len(x.ranks)))
	if n >= firstMade {
		w.keepContexts(n, ranks)
		return n * contextsOfEach
	}
	for int(n) >= len(x.ranks) {
		x.ranks = append(x.ranks, nil)
	}
	x.ranks[n] = ranks
	return n * contextsOfEach
}

// numberOf returns the number of a communicator: the one that it had, if its program runs again, and
// else a new one.
func (x *creations) numberOf(c Creation, new int32) int32 {
	if x.numbers == nil {
		return new
	}
	if before, ok := x.numbers[c]; x.again && ok {
		new = before
	}
	x.numbers[c] = new
	return new
}

// highest returns the highest number of a communicator that was made while several processes ran; 0 if
// there is none.
func (x *creations) highest() (n int32) {
	for _, number := range x.numbers {
		if number >= firstMade {
			n = max(n, number)
		}
	}
	return n
}
