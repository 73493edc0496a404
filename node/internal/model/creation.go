package model

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
	CreatedBefore CreationKind = iota // it was known before the run
	CreatedBySplit
	CreatedForWindow
	CreatedBetween // two groups
	CreatedAlone   // by one rank
	CreatedOfSelf  // all communicators of one rank
)
