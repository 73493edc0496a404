package node

import "fabricast/fabric"

// Kinds of messages, in Message.Flags. Those of one protocol are dealt with in one file.
const (
	eager uint8 = iota // carries a message of a program, for the matching

	kinds = fabric.HasExtra - 1 // the bits of Flags that hold the kind
)

// kindOf is the kind of a message.
func kindOf(m *fabric.Message) uint8 { return m.Flags & kinds }
