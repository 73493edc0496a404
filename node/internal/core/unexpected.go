package core

import "fabricast/fabric"

// Unexpected is a message that no receive has matched yet. It has arrived, or it is a message of
// the rank to itself that is about to arrive.
type Unexpected struct {
	Next    uint32 // next in the queue of its exact (source, tag)
	Slot    int32  // slot of the receiving rank
	At      int64  // ps: time of arrival
	Size    int64  // bytes
	Source  int32
	Tag     int32
	Context int32
	Payload uint32 // handle of the contents; 0 if there are none
	// Request is, for a rendezvous, the message that requests it, or the send if the message is
	// local. For a named message it is the name.
	Request uint32
	// Local: the message is from the same host. Otherwise: it is copied if other messages are not,
	// and vice versa. Named: it is eager and can be canceled.
	Local, Otherwise, Named bool
	// Links are the message's links in the queue of each shape that the rank uses, and in the ring
	// of all messages of the rank.
	Links [Shapes + 1]links
}

// All is the index in Links for the ring of all messages of a rank.
const All = Shapes

// links are the neighbors of an element in a doubly linked ring.
type links struct{ Next, Prev uint32 }

// Take sets u to message m from the network, which has arrived at time `at` (ps) for the rank in
// the given slot. It sets the fields in place: copying a whole value whose parts are still being
// stored would stall the processor.
func (u *Unexpected) Take(m *fabric.Message, slot int32, at int64) {
	u.At, u.Size, u.Slot, u.Payload = at, m.Size, slot, m.Payload
	u.Source, u.Tag, u.Context = m.SrcRank, m.Tag, m.Context
}

// Asks reports whether the message is a rendezvous request.
func (u *Unexpected) Asks() bool { return u.Request != 0 && !u.Named }

// Key returns the message's exact pattern, which identifies its source, tag and context.
func (u *Unexpected) Key() Key { return Key{u.Slot, u.Context, u.Source, u.Tag} }
