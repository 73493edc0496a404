package core

import (
	"fabricast/node/internal/model"
)

// Key identifies a matching queue: the receives posted with one pattern at one rank, or the
// unexpected messages that match it. Source and tag may be wildcards.
type Key struct {
	Rank    int32 // slot of the rank in its block
	Context int32
	Source  int32
	Tag     int32
}

// Hash returns the key's hash for the table.
func (k Key) Hash() uint32 {
	const m1, m2 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(uint32(k.Rank))<<32 | uint64(uint32(k.Source))
	h = (h ^ h>>29) * m1
	h ^= uint64(uint32(k.Context))<<32 | uint64(uint32(k.Tag))
	h = (h ^ h>>32) * m2
	return uint32(h >> 32)
}

// Shapes are the ways in which a pattern can have wildcards.
const (
	anySource = iota
	anyTag
	anyMessage
	Exact
	Shapes = Exact // that have wildcards
)

// Shape returns which wildcards a pattern has.
func (k Key) Shape() int {
	switch {
	case k.Source == model.AnySource && k.Tag == model.AnyTag:
		return anyMessage
	case k.Tag == model.AnyTag:
		return anyTag
	case k.Source == model.AnySource:
		return anySource
	}
	return Exact
}

// As returns an exact pattern with the wildcards of a shape.
func (k Key) As(shape int) Key {
	if shape == anySource || shape == anyMessage {
		k.Source = model.AnySource
	}
	if shape == anyTag || shape == anyMessage {
		k.Tag = model.AnyTag
	}
	return k
}

// Queue is a FIFO of posted receives or of unexpected messages that is not empty.
// It is a ring through its elements; only the last of them is kept here, whose
// successor is the first. The key is read from the elements, which keeps a queue
// at 8 bytes.
type Queue struct {
	Hash uint32 // of the key
	Last uint32 // element<<queueBits | what; 0 in an empty place
}

// The contents of a queue: unexpected messages indexed by a shape (0 to exact), or receives.
const (
	PostedQueue = Exact + 1
	// onlyReceive stands in place of a queue for the rank's only receive, while the rank has no
	// queues. Most programs that wait for one message at a time match by it without computing a
	// hash.
	onlyReceive = Exact + 2
	// MoreQueues in the last queue of a rank's record means that the rank has a table: hash is its
	// first place in the tables of the block, the element the logarithm of its size.
	MoreQueues = Exact + 3
	QueueBits  = 3
	// maxElements is how many receives, and how many unexpected messages, a block can hold.
	maxElements = 1 << (32 - QueueBits)
)

func (q Queue) Element() uint32 { return q.Last >> QueueBits }

func (q Queue) What() int { return int(q.Last & (1<<QueueBits - 1)) }

func (q Queue) Posted() bool { return q.What() == PostedQueue }

func (q Queue) Only() bool { return q.What() == onlyReceive }

func (q Queue) More() bool { return q.What() == MoreQueues }

// SetLast sets the queue's last element.
func (q *Queue) SetLast(element uint32) { q.Last = element<<QueueBits | uint32(q.What()) }
