package fabric

import "math/bits"

// lookahead keeps the account of the small packets that a block's hosts have under
// way. How long windows may be depends on the smallest packet in the network, for its credit
// takes effect no sooner than it takes to pass; most packets are as large as they can be, and
// the smaller ones are the last ones of their messages.
type lookahead struct {
	small  [sizeClasses]uint32 // messages under way, by the size class of their last packet if it is small
	length int64               // ps: what follows for the windows
	size   int64               // bytes of the message looked at last, and 1 more; 0 = none
	class  int                 // its smallClass
}

// sizeClasses is the number of classes of packets by the binary logarithm of their flits.
const sizeClasses = 16

// smallClass is the size class of a message's last packet, or -1 if that is a full one.
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

// classOf is smallClass without its divisions for the size that it was asked of last.
func (b *Block) classOf(size int64) int {
	if size != b.ahead.size-1 {
		b.ahead.size, b.ahead.class = size+1, b.smallClass(size)
	}
	return b.ahead.class
}

// under notes that a message of so many bytes is under way.
func (b *Block) under(size int64) {
	class := b.classOf(size)
	if class < 0 {
		return
	}
	if b.ahead.small[class]++; b.ahead.small[class] == 1 {
		b.ahead.length = min(b.ahead.length, b.windows[class])
	}
}

// over notes that the last packet of a message has started on its last link.
func (b *Block) over(id MsgID, size int64) {
	class := b.classOf(size)
	if class < 0 {
		return
	}
	if owner := uint32(id) >> b.indexBits; owner != uint32(b.index) {
		b.outgoing(int(owner)).over[class]++
		return
	}
	b.forget(class, 1)
}

// forget takes messages out of the account.
func (b *Block) forget(class int, messages uint32) {
	if b.ahead.small[class] -= messages; b.ahead.small[class] > 0 {
		return
	}
	for c, n := range b.ahead.small {
		if n > 0 {
			b.ahead.length = b.windows[c]
			return
		}
	}
	b.ahead.length = b.fullWindow
}

// Lookahead is how long windows may be (ps) from the next one on. A packet posted in
// this window cannot matter to another router before it has taken a hop, which is
// longer than the window.
func (b *Block) Lookahead() int64 { return b.ahead.length }
