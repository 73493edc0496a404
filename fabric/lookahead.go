package fabric

import (
	"fabricast/internal/snapshot"
	"math/bits"
)

// lookahead counts the small packets that a block's hosts have under way, because the smallest
// packet in the network limits the length of windows: its credit takes effect after the time it
// takes to pass. Most packets have the largest size; smaller ones are the last packets of their
// messages.
type lookahead struct {
	*layout
	messages *messageTable
	mail     *outbox
	// number of messages under way, by the size class of their last packet; full packets are not
	// counted
	small  [sizeClasses]uint32
	length int64 // ps: what follows for the windows
	// ps: the longest windows whatever is under way
	longest int64
	size    int64 // bytes of the message looked at last, and 1 more; 0 = none
	class   int   // its smallClass
}

// sizeClasses is the number of size classes of packets. A class is the binary logarithm of the
// flits.
const sizeClasses = 16

// smallClass returns the size class of the last packet of a message of `size` bytes, or -1 if that
// packet is a full one.
func (l *layout) smallClass(size int64) int {
	rest := size % l.payload
	if rest == 0 && size > 0 {
		return -1
	}
	flits := l.flits(rest)
	if flits == l.maxFlits {
		return -1
	}
	return bits.Len64(uint64(flits)) - 1
}

// classOf returns the same as smallClass. It repeats the divisions only if `size` differs from the
// last call's.
func (a *lookahead) classOf(size int64) int {
	if size != a.size-1 {
		a.size, a.class = size+1, a.smallClass(size)
	}
	return a.class
}

// under counts a message of `size` bytes as under way.
func (a *lookahead) under(id MsgID, size int64) {
	class := a.classOf(size)
	if class < 0 {
		return
	}
	if a.small[class]++; a.small[class] == 1 {
		a.length = min(a.length, a.windows[class])
	}
	if owner, _ := a.messages.owner(id); owner != a.messages.block {
		// The host was in that block when it made the message. That block counts the message from
		// the next round on, and this one until then.
		a.mail.under(owner, class)
		a.mail.over(a.messages.block, class)
	}
}

// forget subtracts so many messages of a class, modulo 2^32, from those under way.
func (a *lookahead) forget(class int, messages uint32) {
	if a.small[class] -= messages; a.small[class] > 0 {
		a.length = min(a.length, a.windows[class])
		return
	}
	for c, n := range a.small {
		if n > 0 {
			a.length = a.windows[c]
			return
		}
	}
	a.length = a.fullWindow
}

// over records that the last packet of a message has started on its last link.
func (a *lookahead) over(id MsgID, size int64) {
	class := a.classOf(size)
	if class < 0 {
		return
	}
	if owner, _ := a.messages.owner(id); owner != a.messages.block {
		a.mail.over(owner, class)
		return
	}
	a.forget(class, 1)
}

// state goes over the small packets under way.
func (a *lookahead) state(v *snapshot.Visitor) {
	snapshot.Value(v, &a.small)
	snapshot.Value(v, &a.length)
}
