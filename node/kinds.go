package node

import (
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

// Indexes of Extra.Value in a rendezvous: the gap between the packets of the data (also in the
// request of a get), and the kind of the request. See also valueName.
const (
	valueGap = iota
	valueKind
)

// Indexes of Extra.Value in lock messages: 1 if the lock is requested exclusively.
const valueAlone = 0

// arrival returns when a message that the endpoint owns is in memory (ps).
func arrival(m *fabric.Message) int64 { return m.Post }

// local reports whether the message of a one-sided operation stayed on its host.
func local(m *fabric.Message) bool { return m.Src == m.Dst }

// ByNIC reports whether a NIC handles a message, without the rank's processor.
func ByNIC(m *fabric.Message) bool { return !matched(kindOf(m)) }

// Indexes of Extra.Value: the name of a message that may be cancelled. A question also holds the
// message's other identification. An answer holds the send, and whether the message was cancelled.
const (
	valueName  = 2
	valueSend  = 0
	valueTag   = 1
	valueTaken = 1
)

// sendOf identifies a rank's send, and unmetSend describes one that no receive has met.
type (
	sendOf struct {
		rank    int32
		request uint32
	}
	unmetSend struct{ to, tag, context int32 }
)
