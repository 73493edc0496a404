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

// Words returns the words of experiment files for an Arbiter.
func (a *Arbiter) Words() []string { return arbiters.Names() }

// UnmarshalText parses a word of experiment files.
func (a *Arbiter) UnmarshalText(text []byte) error { return option.Parse(a, text, arbiters.Names()) }

// MarshalText returns the word of experiment files.
func (a Arbiter) MarshalText() ([]byte, error) { return option.Text(a, arbiters.Names()) }

// Words returns the words of experiment files for Queues.
func (q *Queues) Words() []string { return queuesWords }

// UnmarshalText parses a word of experiment files.
func (q *Queues) UnmarshalText(text []byte) error { return option.Parse(q, text, queuesWords) }

// MarshalText returns the word of experiment files.
func (q Queues) MarshalText() ([]byte, error) { return option.Text(q, queuesWords) }

// Words returns the words of experiment files for an Allocation.
func (a *Allocation) Words() []string { return allocationWords }

// UnmarshalText parses a word of experiment files.
func (a *Allocation) UnmarshalText(text []byte) error { return option.Parse(a, text, allocationWords) }

// MarshalText returns the word of experiment files.
func (a Allocation) MarshalText() ([]byte, error) { return option.Text(a, allocationWords) }

// Words returns the words of experiment files for an Allocator.
func (a *Allocator) Words() []string { return allocatorWords }

// UnmarshalText parses a word of experiment files.
func (a *Allocator) UnmarshalText(text []byte) error { return option.Parse(a, text, allocatorWords) }

// MarshalText returns the word of experiment files.
func (a Allocator) MarshalText() ([]byte, error) { return option.Text(a, allocatorWords) }

// Words returns the words of experiment files for an Injection.
func (i *Injection) Words() []string { return injectionWords }

// UnmarshalText parses a word of experiment files.
func (i *Injection) UnmarshalText(text []byte) error { return option.Parse(i, text, injectionWords) }

// MarshalText returns the word of experiment files.
func (i Injection) MarshalText() ([]byte, error) { return option.Text(i, injectionWords) }
