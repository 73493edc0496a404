package node

import (
	"fmt"

	"fabricast/fabric"
)

// Kinds of messages, in Message.Flags. One file handles the messages of one protocol.
const (
	eager uint8 = iota // carries a message of a program, for the matching (message.go)
	// eager; copied at both ends if other messages are not, and not copied if others are
	eagerOtherwise
	// eager; the send is complete when the message has met its receive (processor.go)
	synchronous
	// rendezvous request for the matching: the sender will write the data (rendezvous.go)
	writeRequest
	readRequest     // likewise: the data will be read
	rendezvousClear // answers a request that has met its receive
	rendezvousData  // answers that
	rendezvousDone  // answers data that was read
	putData         // carries data into a rank's memory (put.go)
	accessDone      // answers what brings nothing back
	getRequest      // asks for data from a rank's memory (get.go)
	getData         // answers it
	atomicOp        // has a word of a rank's memory changed (atomic.go)
	atomicFound     // answers it
	// carries data that is combined with a rank's memory (accumulate.go)
	sumData
	exchangeData  // likewise; getData answers with what was there
	lockRequest   // asks for a lock (lock.go); accessDone answers when it is given
	lockRelease   // gives it back
	cancelRequest // takes a message back that no receive has met (cancel.go)
	cancelAnswer  // tells whether it has

	kindBits = fabric.SourceQueued - 1 // of Flags, for the kind
)

// kindOf returns the kind of a message.
func kindOf(m *fabric.Message) uint8 { return m.Flags & kindBits }

// asks reports whether a kind of message is a rendezvous request.
func asks(kind uint8) bool { return kind == writeRequest || kind == readRequest }

// matched reports whether messages of a kind have to be matched with receives.
func matched(kind uint8) bool { return kind <= readRequest }

// deal handles an arrived message that is not for the matching. keeper is the rank that keeps the
// messages of its host. No rank's processor takes part.
func (b *Block) deal(keeper *rank, id fabric.MsgID, m *fabric.Message) {
	switch kind := kindOf(m); kind {
	case rendezvousClear:
		b.rendezvous.sendData(id)
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
		b.finishAccess(completion{handle, at})
	case getRequest:
		b.finishAccess(b.rma.getRequested(id, m))
	case getData:
		b.finishAccess(b.rma.getComesIn(id, m))
	case atomicOp:
		b.finishAccess(b.rma.changeWord(id, m))
	case atomicFound:
		b.finishAccess(b.rma.wordComesIn(id, m))
	case sumData, exchangeData:
		b.finishAccess(b.rma.combine(keeper, id, m))
	case lockRequest:
		b.giveLock(b.rma.lockRequested(id, m))
	case lockRelease:
		b.giveLock(b.rma.lockReleased(id, m))
	case cancelRequest:
		b.cancelRequested(keeper, id, m)
	case cancelAnswer:
		b.cancelAnswered(id, m)
	default:
		panic(fmt.Sprintf("a message of kind %d", kind))
	}
}
