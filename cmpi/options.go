package cmpi

import (
	"os"

	"fabricast/collective"
	"fabricast/collective/tables"
)

// Options select how a program is run.
type Options struct {
	Ranks int
	// Stack is the largest size of a rank's stack, in bytes; 0: 8 MiB, or 1 MiB with more than
	// 16,384 ranks.
	Stack int
	// Prefix puts the rank's number before each line that it prints.
	Prefix bool
	// Omit sends messages without contents: receive buffers keep their old contents.
	Omit bool
	// Compute selects the simulated time of computation. Measured host time is multiplied by
	// Factor; 0 means 1.
	Compute Compute
	Factor  float64
	// Output is where the ranks' standard output goes; nil: the process's.
	Output *os.File
	// Table selects the algorithms of collectives; nil: the table "default".
	Table *tables.Table
	// Types selects what happens if the datatypes of sender and receiver do not match.
	Types Types
	// Strict makes Err return an error if there are Warnings.
	Strict bool
	// Algorithms have precedence over the table.
	Algorithms map[collective.Kind]collective.Algorithm
}

// Compute selects how much simulated time the computation between calls takes.
type Compute string

// Values of Compute.
const (
	ComputeNone     Compute = ""         // no time
	ComputeMeasured Compute = "measured" // the processor time measured here, times a factor
	// like measured, but marked loops run only some of their iterations
	ComputeSampled Compute = "sampled"
)

// psPerNs is the number of ps in a ns.
const psPerNs = 1000

// speed returns how many ps of simulated time one ns of host time counts.
func (o *Options) speed() float64 {
	switch {
	case o.Compute == ComputeNone:
		return 0
	case o.Factor == 0:
		return psPerNs
	}
	return psPerNs * o.Factor
}

// Types selects what happens if a message, or data of a collective, is received with a datatype
// that does not match the sender's: numbers of another kind or size. Unsigned integers match signed
// ones, and MPI_BYTE and MPI_PACKED match everything.
type Types string

// Values of Types: what happens when datatypes do not match.
const (
	TypesTold Types = "" // Job.Warnings reports it, once for each place in the program
	// the receiving call fails with MPI_ERR_TYPE; for collectives, the run fails at its end
	TypesFail    Types = "error"
	TypesIgnored Types = "ignore" // it is ignored
)

// table returns the table of algorithms that the options select.
func (o *Options) table() (*tables.Table, error) {
	t := o.Table
	if t == nil {
		t = tables.Named("default")
	}
	for kind, algorithm := range o.Algorithms {
		if err := collective.Check(kind, algorithm, o.Ranks); err != nil {
			return nil, err
		}
		var err error
		if t, err = t.Before(kind, algorithm); err != nil {
			return nil, err
		}
	}
	return t, nil
}
