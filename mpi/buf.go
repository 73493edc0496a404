package mpi

import "fabricast/node"

// Wildcards for receives and probes.
const (
	AnySource = int(node.AnySource)
	AnyTag    = int(node.AnyTag)
)

// Undefined is the color that a rank passes to Split to join none of the new communicators.
const Undefined = -1

type (
	// Buf is a message buffer: real bytes ([Data]) or only a size ([Size]).
	Buf = node.Buf
	// Status describes a received or probed message; Source is a rank of the communicator.
	Status = node.Status
	// Request is a handle of a send or receive that has been started. It becomes invalid with the
	// wait or successful test that completes it, and must not be used again. The zero Request is
	// complete.
	Request = node.Request
)

// Size returns a buffer of n bytes without contents.
func Size(n int) Buf { return node.Size(n) }

// Data returns a buffer with contents, which are delivered to the receiver.
func Data(b []byte) Buf { return node.Data(b) }
