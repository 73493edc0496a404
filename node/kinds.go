package node

import "fabricast/fabric"

// Kinds of messages, in Message.Flags. Those of one protocol are dealt with in one file.
const (
	eager           uint8 = iota // carries a message of a program, for the matching
	eagerOtherwise               // likewise; copied at both ends if others are not, and not if others are
	writeRequest                 // asks for a rendezvous, for the matching: the data will be written
	readRequest                  // likewise: the data will be read
	rendezvousClear              // answers a request that has met its receive
	rendezvousData               // answers that
	rendezvousDone               // answers data that was read

	kinds = fabric.HasExtra - 1 // the bits of Flags that hold the kind
)

// kindOf is the kind of a message.
func kindOf(m *fabric.Message) uint8 { return m.Flags & kinds }

// asks tells whether a kind of message asks for a rendezvous.
func asks(kind uint8) bool { return kind == writeRequest || kind == readRequest }

// take takes over a message that is not for the matching.
func (b *Block) take(id fabric.MsgID, m *fabric.Message) {
	switch kindOf(m) {
	case rendezvousClear:
		b.sendData(id, m)
	case rendezvousData:
		b.takeData(id, m)
	case rendezvousDone:
		b.completeSend(b.transport.Extra(id).Local, arrival(m))
		b.transport.Release(id)
	}
}
