// Package datatypes holds what ranks know of each other's datatypes, by which messages and
// collectives of ranks with different datatypes are found.
package datatypes

import "fabricast/cmpi/internal/host"

// Mismatched begins messages about datatypes that do not match.
const Mismatched = "datatypes do not match: "

// Signature identifies a datatype by its sequence of basic types. Its lower bits are the number of
// that sequence, its upper bits that of the predefined type; 0 if unknown.
type Signature int32

const (
	numberBits = 16
	anything   = 1  // the number that matches all others
	markShift  = 48 // bit position of the number in a mark
	// lowest number of a signature of several kinds, which each process numbers by itself
	firstMixed = 10
)

// Number returns the number of the sequence of basic types.
func (s Signature) Number() int32 { return int32(s) & (1<<numberBits - 1) }

// Known reports whether the signature says what the data are.
func (s Signature) Known() bool { return s.Number() > anything }

// Describe returns the name of the type.
func (s Signature) Describe() string { return host.Describe(int32(s)>>numberBits, s.Number()) }

// withNumber returns the signature with the same predefined type and another number.
func (s Signature) withNumber(number int32) Signature {
	return s&^(1<<numberBits-1) | Signature(number)
}

// Of returns the number of the signature in the mark of a message.
func Of(mark uint64) int32 { return int32(mark >> markShift) }
