package core

import (
	"fabricast/fabric"
)

// Kinds of messages, in Message.Flags. The code for one protocol is in one file.
const (
	EagerMessage uint8 = iota // a message of a program, which takes part in matching
	// EagerOtherCopy is eager. It is copied at both ends if other messages are not, and vice versa.
	EagerOtherCopy
	// SwitchedMessage is eager. Switches consume it, and send one of this kind to the rank.
	SwitchedMessage
	// SynchronousMessage is eager, but its send is complete when the message has matched a receive.
	SynchronousMessage
	// WriteRequest is a rendezvous request, which takes part in matching; the sender will write the
	// data.
	WriteRequest
	ReadRequest     // likewise, but the receiver will read the data
	RendezvousClear // reply to a WriteRequest that has matched a receive
	RendezvousData  // data of a rendezvous
	RendezvousDone  // reply to data that the receiver has read
	PutData         // data to be written into a rank's memory
	AccessDone      // reply to an operation that returns no data
	GetRequest      // request for data from a rank's memory
	GetData         // data in reply to a get
	AtomicRequest   // request to change a word of a rank's memory
	AtomicAnswer    // reply with the word's old value
	// AccumulateData is data to be combined with a rank's memory.
	AccumulateData
	ExchangeData  // likewise; GetData replies with the old contents
	LockRequest   // request for a lock; AccessDone replies when it is granted
	LockRelease   // release of a lock
	CancelRequest // request to cancel a message that no receive has matched
	CancelAnswer  // reply that says whether the message has been canceled

	kindBits = fabric.SourceQueued - 1 // bits of Flags that hold the kind
)

// KindOf returns the kind of a message.
func KindOf(m *fabric.Message) uint8 { return m.Flags & kindBits }

// Asks reports whether messages of a kind are rendezvous requests.
func Asks(kind uint8) bool { return kind == WriteRequest || kind == ReadRequest }

// Switched reports whether a message goes to the switches, or comes from them.
func Switched(m *fabric.Message) bool { return KindOf(m) == SwitchedMessage }

// Matched reports whether messages of a kind are matched with receives.
func Matched(kind uint8) bool { return kind <= ReadRequest }

// Indexes of Extra.Value in a rendezvous: the gap between the packets of the data (also in the
// request of a get), and the kind of the request. See also ValueName.
const (
	ValueGap = iota
	ValueKind
	_
	valueAnswered // see AnsweredAt
)

// Answer records in a rendezvous request the time (ps) at which the receiver's NIC answers it, and
// whether the receive was posted after the request had arrived.
func Answer(x *fabric.Extra, at int64, late bool) {
	x.Value[valueAnswered] = at << 1
	if late {
		x.Value[valueAnswered]++
	}
}

// AnsweredAt returns what Answer has recorded in the request of a message.
func AnsweredAt(x *fabric.Extra) (at int64, late bool) {
	return x.Value[valueAnswered] >> 1, x.Value[valueAnswered]&1 != 0
}

// ValueAlone is an index of Extra.Value in lock messages: the value is 1 if the lock is requested
// exclusively.
const ValueAlone = 0

// Arrival returns the time (ps) at which m is in memory. The endpoint must own m.
func Arrival(m *fabric.Message) int64 { return m.Post }

// Local reports whether the message of a one-sided operation stayed on its host.
func Local(m *fabric.Message) bool { return m.Src == m.Dst }

// ByNIC reports whether a NIC handles message m, without the rank's processor.
func ByNIC(m *fabric.Message) bool { return !Matched(KindOf(m)) }

// Indexes of Extra.Value: the name of a message that can be canceled. A cancel request also holds
// the send and the tag of the message. The reply holds the send, and whether the message was
// canceled.
const (
	ValueName  = 2
	ValueSend  = 0
	ValueTag   = 1
	ValueTaken = 1
)

// SendOf identifies a send of a rank. UnmetSend describes a send that no receive has matched.
type (
	SendOf struct {
		Rank    int32
		Request uint32
	}
	UnmetSend struct{ To, Tag, Context int32 }
)
