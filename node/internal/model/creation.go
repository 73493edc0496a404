package model

// Creation identifies a communicator that a program creates. It is the same in every run of the
// program, while the communicator's ID may differ.
type Creation struct {
	Kind CreationKind
	// Of is a context of the parent communicator, or the rank that creates it alone. Number is the
	// index of the call there; First distinguishes the communicators that one call creates.
	Of, Number, First int32
}

// CreationKind is the way in which a communicator is created.
type CreationKind int32

// The ways to create a communicator.
const (
	CreatedBefore CreationKind = iota // known before the run
	CreatedBySplit
	CreatedForWindow
	CreatedBetween // from two groups
	CreatedAlone   // by one rank
	CreatedOfSelf  // stands for the communicators of single ranks
)
