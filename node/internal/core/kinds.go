package core

import (
	"fabricast/fabric"
)

// Kinds of messages, in Message.Flags. One file handles the messages of one protocol.
const (
	EagerMessage uint8 = iota // carries a message of a program, for the matching (message.go)
	// eager; copied at both ends if other messages are not, and not copied if others are
	EagerOtherCopy
	// eager; the send is complete when the message has met its receive (processor.go)
	SynchronousMessage
	// rendezvous request for the matching: the sender will write the data (rendezvous.go)
	WriteRequest
	ReadRequest     // likewise: the data will be read
	RendezvousClear // answers a request that has met its receive
	RendezvousData  // answers that
	RendezvousDone  // answers data that was read
	PutData         // carries data into a rank's memory (put.go)
	AccessDone      // answers what brings nothing back
	GetRequest      // asks for data from a rank's memory (get.go)
	GetData         // answers it
	AtomicRequest   // has a word of a rank's memory changed (atomic.go)
	AtomicAnswer    // answers it
	// carries data that is combined with a rank's memory (accumulate.go)
	AccumulateData
	ExchangeData  // likewise; getData answers with what was there
	LockRequest   // asks for a lock (lock.go); accessDone answers when it is given
	LockRelease   // gives it back
	CancelRequest // takes a message back that no receive has met (cancel.go)
	CancelAnswer  // tells whether it has

	kindBits = fabric.SourceQueued - 1 // of Flags, for the kind
)

// KindOf returns the kind of a message.
func KindOf(m *fabric.Message) uint8 { return m.Flags & kindBits }

// Asks reports whether a kind of message is a rendezvous request.
func Asks(kind uint8) bool { return kind == WriteRequest || kind == ReadRequest }

// Matched reports whether messages of a kind have to be matched with receives.
func Matched(kind uint8) bool { return kind <= ReadRequest }

// Indexes of Extra.Value in a rendezvous: the gap between the packets of the data (also in the
// request of a get), and the kind of the request. See also valueName.
const (
	ValueGap = iota
	ValueKind
)

// Indexes of Extra.Value in lock messages: 1 if the lock is requested exclusively.
const ValueAlone = 0

// Arrival returns when a message that the endpoint owns is in memory (ps).
func Arrival(m *fabric.Message) int64 { return m.Post }

// Local reports whether the message of a one-sided operation stayed on its host.
func Local(m *fabric.Message) bool { return m.Src == m.Dst }

// ByNIC reports whether a NIC handles a message, without the rank's processor.
func ByNIC(m *fabric.Message) bool { return !Matched(KindOf(m)) }

// Indexes of Extra.Value: the name of a message that may be cancelled. A question also holds the
// message's other identification. An answer holds the send, and whether the message was cancelled.
const (
	ValueName  = 2
	ValueSend  = 0
	ValueTag   = 1
	ValueTaken = 1
)

// SendOf identifies a rank's send, and unmetSend describes one that no receive has met.
type (
	SendOf struct {
		Rank    int32
		Request uint32
	}
	UnmetSend struct{ To, Tag, Context int32 }
)
