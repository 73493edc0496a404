package node

import "fabricast/fabric"

// unexpected is a message that has arrived, or that soon arrives from the rank itself, and has met
// no receive yet.
type unexpected struct {
	next    uint32 // in the queue of its exact (source, tag)
	slot    int32  // of the rank that it came to
	at      int64  // ps: arrival
	size    int64  // bytes
	source  int32
	tag     int32
	context int32
	payload uint32 // contents, 0 if none
	// for a rendezvous: the message that requests it, or the send if local; for a named message its
	// name
	request uint32
	// local: the message is from the same host. otherwise: it is copied if other messages are not,
	// and not copied if others are. named: it is eager and can be cancelled.
	local, otherwise, named bool
	// in the queue of each shape the rank uses, and in the ring of all of the rank
	links [shapes + 1]links
}

// all is the index of the links in the ring of all of a rank's messages.
const all = shapes

// links are an element's neighbours in a doubly linked ring.
type links struct{ next, prev uint32 }

// take describes a message from the network that has arrived at the rank in a slot at the time `at`
// (ps). It sets the fields in place: a whole value that is copied while its parts are still being
// stored stalls the processor.
func (u *unexpected) take(m *fabric.Message, slot int32, at int64) {
	u.at, u.size, u.slot, u.payload = at, m.Size, slot, m.Payload
	u.source, u.tag, u.context = m.SrcRank, m.Tag, m.Context
}

// asks reports whether the message is a rendezvous request.
func (u *unexpected) asks() bool { return u.request != 0 && !u.named }

// key returns the message's exact pattern: only messages with the same envelope match it.
func (u *unexpected) key() key { return key{u.slot, u.context, u.source, u.tag} }
