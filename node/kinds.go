package node

import (
	"fmt"

	"fabricast/fabric"
)

// Kinds of messages, in Message.Flags. Those of one protocol are dealt with in one file.
const (
	eager           uint8 = iota // carries a message of a program, for the matching (message.go)
	eagerOtherwise               // likewise; copied at both ends if others are not, and not if others are
	writeRequest                 // asks for a rendezvous, for the matching: the data will be written (rendezvous.go)
	readRequest                  // likewise: the data will be read
	rendezvousClear              // answers a request that has met its receive
	rendezvousData               // answers that
	rendezvousDone               // answers data that was read
	putData                      // carries data into a rank's memory (put.go)
	accessDone                   // answers what brings nothing back
	getRequest                   // asks for data from a rank's memory (get.go)
	getData                      // answers it
	atomicOp                     // has a word of a rank's memory changed (atomic.go)
	atomicFound                  // answers it
	sumData                      // carries data that is combined with a rank's memory (accumulate.go)
	exchangeData                 // likewise; getData answers with what was there
	lockRequest                  // asks for a lock (lock.go); accessDone answers when it is given
	lockRelease                  // gives it back
	cancelRequest                // takes a message back that no receive has met (cancel.go)
	cancelAnswer                 // tells whether it has

	kindBits = fabric.HasExtra - 1 // of Flags, for the kind
)

// kindOf is the kind of a message.
func kindOf(m *fabric.Message) uint8 { return m.Flags & kindBits }

// asks tells whether a kind of message asks for a rendezvous.
func asks(kind uint8) bool { return kind == writeRequest || kind == readRequest }

// matched tells whether a kind of message is for the matching.
func matched(kind uint8) bool { return kind <= readRequest }

// deal does what a message calls for that has come in and is not for the matching. The
// rank given keeps what comes to the host; no rank's processor takes part.
func (b *Block) deal(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	switch kind := kindOf(m); kind {
	case rendezvousClear:
		b.sendData(id, m)
	case rendezvousData:
		b.takeData(id, m)
	case rendezvousDone:
		b.completeSend(b.transport.Extra(id).Local, arrival(m))
		b.transport.Release(id)
	case putData:
		b.putComesIn(keeper, id, m)
	case accessDone:
		handle, at := m.Payload, arrival(m)
		b.transport.Release(id)
		b.finishAccess(handle, at)
	case getRequest:
		b.getRequested(id, m)
	case getData:
		b.getComesIn(id, m)
	case atomicOp:
		b.changeWord(id, m)
	case atomicFound:
		b.wordComesIn(id, m)
	case sumData, exchangeData:
		b.combine(keeper, id, m)
	case lockRequest:
		b.lockRequested(id, m)
	case lockRelease:
		b.lockReleased(id, m)
	case cancelRequest:
		b.cancelRequested(keeper, id, m)
	case cancelAnswer:
		b.cancelAnswered(id, m)
	default:
		panic(fmt.Sprintf("a message of kind %d", kind))
	}
}
