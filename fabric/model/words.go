package model

import "fabricast/internal/option"

// Text forms of the router's options in experiment files. Each type parses and formats its own
// words and lists them in the order in which error messages show them. The empty text means the
// first word.

var (
	queuesWords     = []string{InputQueues: "input", VirtualOutputQueues: "voq"}
	allocationWords = []string{CombinedAllocation: "combined", SeparateAllocation: "separate"}
	allocatorWords  = []string{MaximalAllocator: "maximal", SeparableAllocator: "separable"}
	injectionWords  = []string{RoutedVC: "routed", VCsInTurn: "all"}
)

// Words lists the values of an Arbiter in experiment files.
func (a *Arbiter) Words() []string { return arbiters.Names() }

// UnmarshalText parses a value from an experiment file.
func (a *Arbiter) UnmarshalText(text []byte) error { return option.Parse(a, text, arbiters.Names()) }

// MarshalText returns the value in experiment files.
func (a Arbiter) MarshalText() ([]byte, error) { return option.Text(a, arbiters.Names()) }

// Words lists the values of Queues in experiment files.
func (q *Queues) Words() []string { return queuesWords }

// UnmarshalText parses a value from an experiment file.
func (q *Queues) UnmarshalText(text []byte) error { return option.Parse(q, text, queuesWords) }

// MarshalText returns the value in experiment files.
func (q Queues) MarshalText() ([]byte, error) { return option.Text(q, queuesWords) }

// Words lists the values of an Allocation in experiment files.
func (a *Allocation) Words() []string { return allocationWords }

// UnmarshalText parses a value from an experiment file.
func (a *Allocation) UnmarshalText(text []byte) error { return option.Parse(a, text, allocationWords) }

// MarshalText returns the value in experiment files.
func (a Allocation) MarshalText() ([]byte, error) { return option.Text(a, allocationWords) }

// Words lists the values of an Allocator in experiment files.
func (a *Allocator) Words() []string { return allocatorWords }

// UnmarshalText parses a value from an experiment file.
func (a *Allocator) UnmarshalText(text []byte) error { return option.Parse(a, text, allocatorWords) }

// MarshalText returns the value in experiment files.
func (a Allocator) MarshalText() ([]byte, error) { return option.Text(a, allocatorWords) }

// Words lists the values of an Injection in experiment files.
func (i *Injection) Words() []string { return injectionWords }

// UnmarshalText parses a value from an experiment file.
func (i *Injection) UnmarshalText(text []byte) error { return option.Parse(i, text, injectionWords) }

// MarshalText returns the value in experiment files.
func (i Injection) MarshalText() ([]byte, error) { return option.Text(i, injectionWords) }
