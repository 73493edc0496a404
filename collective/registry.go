package collective

import (
	"fmt"
	"math/bits"
	"strings"
)

// Kind names a collective.
type Kind string

// The collectives.
const (
	KindAlltoall      Kind = "alltoall"
	KindBarrier       Kind = "barrier"
	KindBroadcast     Kind = "broadcast"
	KindAllreduce     Kind = "allreduce"
	KindAllgather     Kind = "allgather"
	KindReduce        Kind = "reduce"
	KindReduceScatter Kind = "reduce-scatter"
	KindGather        Kind = "gather"
	KindScatter       Kind = "scatter"
)

// Algorithm names an algorithm of a collective. The empty name stands for the
// collective's default.
type Algorithm string

// The algorithms. Not every collective has every one: see Algorithms.
const (
	Default           Algorithm = ""
	Binomial          Algorithm = "binomial"
	Bruck             Algorithm = "bruck"
	Butterfly         Algorithm = "butterfly"
	Dissemination     Algorithm = "dissemination"
	Pairwise          Algorithm = "pairwise"
	Rabenseifner      Algorithm = "rabenseifner"
	RecursiveDoubling Algorithm = "recursive-doubling"
	RecursiveHalving  Algorithm = "recursive-halving"
	Ring              Algorithm = "ring"
	ScatterAllgather  Algorithm = "scatter-allgather"
	SimpleSpread      Algorithm = "simple-spread"
)

// Info describes an algorithm of a collective.
type Info struct {
	Name    Algorithm
	Summary string // one line
	// PowerOfTwo says that the number of ranks must be a power of two.
	PowerOfTwo bool
	// CommutativeOnly says that the algorithm does not keep the operands of a
	// reduction in the order of ranks.
	CommutativeOnly bool
	// Stackless says that between two calls of its communicator the algorithm does nothing but what may be
	// done again: with passing over the calls that are done (see Comm.Round) it can be run anew to go on.
	Stackless bool
}

// accepts tells whether the algorithm runs on a number of ranks.
func (i *Info) accepts(ranks int) bool {
	return !i.PowerOfTwo || bits.OnesCount(uint(ranks)) == 1
}

// entry is a registered algorithm; F is its function's type.
type entry[F any] struct {
	Info
	run F
}

// family is a collective with its algorithms, the default first.
type family[F any] struct {
	kind    Kind
	entries []entry[F]
}

// pick returns the function that runs an algorithm on a number of ranks. It
// panics if there is none, which ends the run with the message.
func (f *family[F]) pick(a Algorithm, ranks int) F {
	e := f.find(a)
	if e == nil || !e.accepts(ranks) {
		f.fail(a, ranks)
	}
	return e.run
}

// Stackless tells whether an algorithm of a collective is, see Info.
func Stackless(k Kind, a Algorithm) bool {
	switch k {
	case KindBarrier:
		return barriers.stackless(a)
	case KindAlltoall:
		return alltoalls.stackless(a)
	case KindAllgather:
		return allgathers.stackless(a)
	case KindBroadcast:
		return broadcasts.stackless(a)
	}
	return false
}

func (f *family[F]) stackless(a Algorithm) bool {
	e := f.find(a)
	return e != nil && e.Stackless
}

// pickOp is pick for reductions.
func (f *family[F]) pickOp(a Algorithm, ranks int, op *Op) F {
	e := f.find(a)
	if e != nil && e.CommutativeOnly && op.Ordered() {
		f.failOp(e, op)
	}
	return f.pick(a, ranks)
}

//go:noinline
func (f *family[F]) fail(a Algorithm, ranks int) {
	panic(f.admit(a, ranks).Error())
}

//go:noinline
func (f *family[F]) failOp(e *entry[F], op *Op) {
	panic(fmt.Sprintf("%s: algorithm %s needs a commutative operation, %q is not", f.kind, e.Name, op.Name))
}

func (f *family[F]) find(a Algorithm) *entry[F] {
	if a == Default {
		return &f.entries[0]
	}
	for i := range f.entries {
		if f.entries[i].Name == a {
			return &f.entries[i]
		}
	}
	return nil
}

func (f *family[F]) names() []Algorithm {
	names := make([]Algorithm, len(f.entries))
	for i, e := range f.entries {
		names[i] = e.Name
	}
	return names
}

func (f *family[F]) infos() []Info {
	infos := make([]Info, len(f.entries))
	for i, e := range f.entries {
		infos[i] = e.Info
	}
	return infos
}

func (f *family[F]) admit(a Algorithm, ranks int) error {
	e := f.find(a)
	switch {
	case e == nil:
		return fmt.Errorf("%s: found algorithm %q, expected one of %s", f.kind, a, join(f.names()))
	case !e.accepts(ranks):
		return fmt.Errorf("%s: algorithm %s needs a number of ranks that is a power of two, found %d", f.kind, e.Name, ranks)
	}
	return nil
}

// described is what the catalogue needs of a family, whatever its functions' type.
type described interface {
	infos() []Info
	admit(a Algorithm, ranks int) error
}

// lookup returns the family of a collective, nil if there is none.
func lookup(k Kind) described {
	switch k {
	case KindAlltoall:
		return &alltoalls
	case KindBarrier:
		return &barriers
	case KindBroadcast:
		return &broadcasts
	case KindAllreduce:
		return &allreduces
	case KindAllgather:
		return &allgathers
	case KindReduce:
		return &reduces
	case KindReduceScatter:
		return &reduceScatters
	case KindGather:
		return &gathers
	case KindScatter:
		return &scatters
	}
	return nil
}

// Kinds lists the collectives.
func Kinds() []Kind {
	return []Kind{
		KindAlltoall, KindBarrier, KindBroadcast, KindAllreduce, KindAllgather,
		KindReduce, KindReduceScatter, KindGather, KindScatter,
	}
}

// Algorithms describes the algorithms of a collective, its default first. It
// returns nil for an unknown collective.
func Algorithms(k Kind) []Info {
	if f := lookup(k); f != nil {
		return f.infos()
	}
	return nil
}

// Names lists the names of a collective's algorithms, its default first.
func Names(k Kind) []string {
	var names []string
	for _, info := range Algorithms(k) {
		names = append(names, string(info.Name))
	}
	return names
}

// Check tells whether an algorithm of a collective can run on a number of
// ranks. The error names what was found and what was expected.
func Check(k Kind, a Algorithm, ranks int) error {
	f := lookup(k)
	if f == nil {
		return fmt.Errorf("found collective %q, expected one of %s", k, join(Kinds()))
	}
	return f.admit(a, ranks)
}

func join[S ~string](list []S) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(s))
	}
	return b.String()
}
