package host

// Predefined reports whether an operation is predefined by MPI: these have handles up to MPI_NO_OP.
func Predefined(op int32) bool { return op&0xff <= noOp && op>>8 == opNull>>8 }

const (
	opNull = 0x40000000
	noOp   = 0x0e
)
