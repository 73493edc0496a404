package cmpi

import (
	"fabricast/cmpi/internal/host"
	"fabricast/node"
)

// options decodes the options of a send, a put or an accumulate: 16 bits for the NIC, 8 for the
// protocol, 8 for copies, 32 for the gap. The C side numbers protocols and copies as the node does.
// For a send, Op is its name.
func options(o *host.Op) node.Options {
	word := uint64(o.ResultSize)
	return node.Options{
		NIC:      int(word & 0xffff),
		Protocol: node.Protocol(word >> 16 & 0xff),
		Copies:   node.Copies(word >> 24 & 0xff),
		Gap:      uint32(word >> 32),
		Name:     uint32(o.Op),
	}
}

// synchronous returns the options of an MPI_Ssend.
func synchronous(o *host.Op) node.Options {
	with := options(o)
	with.Protocol = node.Synchronous
	return with
}
