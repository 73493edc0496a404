package model

// Matrix grants the input that was granted least recently by this output.
const Matrix Arbiter = 2

var _ = registerArbiter(Matrix, ArbiterKind{
	Name:   "matrix",
	Help:   "the input that was granted least recently",
	Memory: GrantTimes,
})
