package core

import "fabricast/fabric"

// Unexpected is a message that has arrived, or that soon arrives from the rank itself, and has met
// no receive yet.
type Unexpected struct {
	Next    uint32 // in the queue of its exact (source, tag)
	Slot    int32  // of the rank that it came to
	At      int64  // ps: arrival
	Size    int64  // bytes
	Source  int32
	Tag     int32
	Context int32
	Payload uint32 // contents, 0 if none
	// for a rendezvous: the message that requests it, or the send if local; for a named message its
	// name
	Request uint32
	// local: the message is from the same host. otherwise: it is copied if other messages are not,
	// and not copied if others are. named: it is eager and can be cancelled.
	Local, Otherwise, Named bool
	// in the queue of each shape the rank uses, and in the ring of all of the rank
	Links [Shapes + 1]links
}

// All is the index of the links in the ring of all of a rank's messages.
const All = Shapes

// links are an element's neighbours in a doubly linked ring.
type links struct{ Next, Prev uint32 }

// Take describes a message from the network that has arrived at the rank in a slot at the time `at`
// (ps). It sets the fields in place: a whole value that is copied while its parts are still being
// stored stalls the processor.
func (u *Unexpected) Take(m *fabric.Message, slot int32, at int64) {
	u.At, u.Size, u.Slot, u.Payload = at, m.Size, slot, m.Payload
	u.Source, u.Tag, u.Context = m.SrcRank, m.Tag, m.Context
}

// Asks reports whether the message is a rendezvous request.
func (u *Unexpected) Asks() bool { return u.Request != 0 && !u.Named }

// Key returns the message's exact pattern: only messages with the same envelope match it.
func (u *Unexpected) Key() Key { return Key{u.Slot, u.Context, u.Source, u.Tag} }
