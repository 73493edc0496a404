package collective

import (
	"fmt"
	"math/bits"
	"strings"
	"sync/atomic"

	"fabricast/internal/registry"
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
	KindScan          Kind = "scan"
	KindExscan        Kind = "exscan"
)

// Algorithm names an algorithm of a collective. Options may follow after slashes:
// chain/segment=64KiB/fanout=2. The empty name stands for the collective's default.
type Algorithm string

// Names of algorithms. Not every collective has every one: see Algorithms.
const (
	Default           Algorithm = ""
	Binary            Algorithm = "binary"
	Bine              Algorithm = "bine"
	BineScatter       Algorithm = "bine-scatter"
	BineWhole         Algorithm = "bine-whole"
	Binomial          Algorithm = "binomial"
	BinomialDoubling  Algorithm = "binomial-doubling"
	Bruck             Algorithm = "bruck"
	Bucket            Algorithm = "bucket"
	Butterfly         Algorithm = "butterfly"
	Chain             Algorithm = "chain"
	Dissemination     Algorithm = "dissemination"
	DoubleRing        Algorithm = "double-ring"
	Groups            Algorithm = "groups"
	Hierarchical      Algorithm = "hierarchical"
	InNetwork         Algorithm = "in-network"
	InOrderBinary     Algorithm = "in-order-binary"
	Knomial           Algorithm = "knomial"
	Linear            Algorithm = "linear"
	LinearSync        Algorithm = "linear-sync"
	MultiColor        Algorithm = "multi-color"
	NCCL              Algorithm = "nccl"
	NCCLCollNetChain  Algorithm = "nccl-collnet-chain"
	NCCLCollNetDirect Algorithm = "nccl-collnet-direct"
	NCCLNVLS          Algorithm = "nccl-nvls"
	NCCLNVLSTree      Algorithm = "nccl-nvls-tree"
	NCCLPAT           Algorithm = "nccl-pat"
	NCCLRing          Algorithm = "nccl-ring"
	NCCLSends         Algorithm = "nccl-sends"
	NCCLTree          Algorithm = "nccl-tree"
	NeighborExchange  Algorithm = "neighbor-exchange"
	Nonoverlapping    Algorithm = "nonoverlapping"
	Pairwise          Algorithm = "pairwise"
	Pipeline          Algorithm = "pipeline"
	Rabenseifner      Algorithm = "rabenseifner"
	RecursiveDoubling Algorithm = "recursive-doubling"
	RecursiveHalving  Algorithm = "recursive-halving"
	Ring              Algorithm = "ring"
	ScatterAllgather  Algorithm = "scatter-allgather"
	ScatterDoubling   Algorithm = "scatter-doubling"
	Scattered         Algorithm = "scattered"
	SegmentedRing     Algorithm = "segmented-ring"
	SimpleSpread      Algorithm = "simple-spread"
	SplitBinary       Algorithm = "split-binary"
	Swing             Algorithm = "swing"
	SwingWhole        Algorithm = "swing-whole"
	Tree              Algorithm = "tree"
)

// Info describes an algorithm of a collective.
type Info struct {
	Name    Algorithm
	Alias   Algorithm // another accepted name, from a published study; or ""
	Summary string    // description in one line
	// PowerOfTwo means that the number of ranks must be a power of two. Even means that it must be
	// even or 1.
	PowerOfTwo, Even bool
	// CommutativeOnly means that the algorithm does not combine a reduction's operands in rank
	// order.
	CommutativeOnly bool
	// Stackless means that everything the algorithm does between two calls of its communicator can
	// be repeated, except for combining operands (see Again). A rank can then resume the algorithm
	// by running it again from the start and skipping the completed calls (see Comm.Round).
	Stackless bool
	// Overlaps means that the algorithm starts transfers between starting other transfers and
	// waiting for them, even without segments (see the function Overlaps). Ranks need a stack for
	// that.
	Overlaps bool
	// Sized means that the messages depend on the size of the buffer, even without segments.
	Sized bool
	// Needs is what the algorithm must know of the machine (see Layout).
	Needs Need
	// Options are the options that can be appended to the name.
	Options []Option
}

// Accepts reports whether the algorithm can run on the given number of ranks.
func (i *Info) Accepts(ranks int) bool { return i.expects(ranks) == "" }

// expects describes the numbers of ranks that the algorithm can run on, or returns "" if it can run
// on the given number.
func (i *Info) expects(ranks int) string {
	switch {
	case i.PowerOfTwo && bits.OnesCount(uint(ranks)) != 1:
		return "that is a power of two"
	case i.Even && ranks%2 != 0 && ranks != 1:
		return "that is even"
	}
	return ""
}

// entry is a registered algorithm. F is the type of its function. An algorithm without options has
// run. One with options has with, which returns the function for given option values.
type entry[F any] struct {
	Info
	run  F
	with func(v Values) F
}

// Family is a collective with its algorithms, the default first. F is the type of the algorithms'
// functions.
type Family[F any] struct {
	kind       Kind
	algorithms registry.Of[entry[F]]
	choices    atomic.Pointer[[]*Choice[F]] // see find
}

// Register adds an algorithm. It is called in the algorithm's file. Lists and messages show
// algorithms in ascending order of place. Places must differ, and the first is the default.
func (f *Family[F]) Register(place int, i Info, run F) struct{} {
	return f.add(place, entry[F]{Info: i, run: run})
}

// RegisterWith adds an algorithm that has options. with returns its function for given option
// values.
func (f *Family[F]) RegisterWith(place int, i Info, with func(v Values) F) struct{} {
	return f.add(place, entry[F]{Info: i, with: with})
}

func (f *Family[F]) add(place int, e entry[F]) struct{} {
	var aliases []string
	if e.Alias != "" {
		aliases = []string{string(e.Alias)}
	}
	f.algorithms.Add(place, e, string(e.Name), aliases...)
	return struct{}{}
}

// Stackless reports whether an algorithm of a collective is stackless (see Info.Stackless).
func Stackless(k Kind, a Algorithm) bool {
	f := lookup(k)
	return f != nil && f.stackless(a)
}

func (f *Family[F]) stackless(a Algorithm) bool {
	e, options := f.lookUp(a)
	return e != nil && e.Stackless && options == ""
}

// Overlaps reports whether an algorithm of a collective may start transfers before it waits for
// earlier ones (see Info.Overlaps). Algorithms that divide messages into segments do.
func Overlaps(k Kind, a Algorithm) bool {
	info := InfoOf(k, a)
	if info == nil {
		return false
	}
	_, _, given := strings.Cut(string(a), OptionMark)
	return info.Overlaps || given && info.option(OptionSegment) >= 0
}

// lookUp returns the algorithm with the given name, or nil if there is none, and the text of its
// options.
func (f *Family[F]) lookUp(a Algorithm) (e *entry[F], options string) {
	if a == Default {
		return f.algorithms.First(), ""
	}
	if e = f.algorithms.Find(string(a)); e != nil {
		return e, ""
	}
	name, options, _ := strings.Cut(string(a), OptionMark)
	return f.algorithms.Find(name), options
}

func (f *Family[F]) infos() (infos []Info) {
	for _, e := range f.algorithms.All() {
		infos = append(infos, e.Info)
	}
	return infos
}

// info returns the description of an algorithm, ignoring its options, or nil if there is none.
func (f *Family[F]) info(a Algorithm) *Info {
	name, _, _ := strings.Cut(string(a), OptionMark)
	if e := f.algorithms.Find(name); e != nil {
		return &e.Info
	}
	return nil
}

func (f *Family[F]) names() []string { return f.algorithms.Names() }

func (f *Family[F]) admit(a Algorithm, ranks int) error {
	e, options := f.lookUp(a)
	if e == nil {
		return fmt.Errorf("%s: found algorithm %q, expected one of %s", f.kind, a, strings.Join(f.names(), ", "))
	}
	if _, err := e.values(options); err != nil {
		return fmt.Errorf("%s: algorithm %s: %w", f.kind, e.Name, err)
	}
	if expected := e.expects(ranks); expected != "" {
		return fmt.Errorf(
			"%s: algorithm %s needs a number of ranks %s, found %d", f.kind, e.Name, expected, ranks,
		)
	}
	return nil
}

// described is the part of a family that does not depend on the type of its functions.
type described interface {
	names() []string
	infos() []Info
	info(a Algorithm) *Info
	stackless(a Algorithm) bool
	admit(a Algorithm, ranks int) error
}

// families are the collectives, in the order used in lists and messages.
var families registry.Of[described]

// NewFamily adds a collective, whose algorithms then register in it. Lists and messages show
// collectives in ascending order of place. Places must differ.
func NewFamily[F any](place int, k Kind) *Family[F] {
	f := &Family[F]{kind: k}
	families.Add(place, f, string(k))
	return f
}

// lookup returns the family of a collective, or nil if there is none.
func lookup(k Kind) described {
	if f := families.Find(string(k)); f != nil {
		return *f
	}
	return nil
}

// Kinds lists the collectives.
func Kinds() []Kind {
	names := families.Names()
	kinds := make([]Kind, len(names))
	for i, name := range names {
		kinds[i] = Kind(name)
	}
	return kinds
}

// Algorithms describes the algorithms of a collective, its default first. It returns nil for an
// unknown collective.
func Algorithms(k Kind) []Info {
	if f := lookup(k); f != nil {
		return f.infos()
	}
	return nil
}

// OfRanks is like Algorithms without those that switches carry out.
func OfRanks(k Kind) (infos []Info) {
	for _, i := range Algorithms(k) {
		if i.Needs != NeedsTrees && i.Needs != NeedsReduction {
			infos = append(infos, i)
		}
	}
	return infos
}

// NamesOfRanks is like Names without the algorithms that switches carry out.
func NamesOfRanks(k Kind) (names []string) {
	for _, i := range OfRanks(k) {
		names = append(names, string(i.Name))
	}
	return names
}

// Names lists the names of a collective's algorithms, its default first.
func Names(k Kind) []string {
	if f := lookup(k); f != nil {
		return f.names()
	}
	return nil
}

// InfoOf returns the description of an algorithm of a collective, or nil if there is none.
func InfoOf(k Kind, a Algorithm) *Info {
	if f := lookup(k); f != nil {
		return f.info(a)
	}
	return nil
}

// Check returns an error if an algorithm of a collective cannot run on the given number of ranks.
// The error says what was found and what was expected.
func Check(k Kind, a Algorithm, ranks int) error {
	f := lookup(k)
	if f == nil {
		return fmt.Errorf("found collective %q, expected one of %s", k, strings.Join(families.Names(), ", "))
	}
	return f.admit(a, ranks)
}

// Known reports whether a collective has an algorithm of that name, ignoring its options.
func (a Algorithm) Known(k Kind) bool { return a == Default || InfoOf(k, a) != nil }

// Shown returns the algorithm under its primary name if a is an alias, with its options. An
// algorithm that the collective does not have is returned unchanged.
func (a Algorithm) Shown(k Kind) Algorithm {
	name, options, given := strings.Cut(string(a), OptionMark)
	info := InfoOf(k, Algorithm(name))
	switch {
	case info == nil:
		return a
	case given:
		return info.Name + Algorithm(OptionMark+options)
	}
	return info.Name
}

// Expects describes the numbers of ranks that a known algorithm can run on, as in "that is even",
// or returns "" if it can run on the given number.
func (a Algorithm) Expects(k Kind, ranks int) string {
	if info := InfoOf(k, a); info != nil {
		return info.expects(ranks)
	}
	return ""
}
