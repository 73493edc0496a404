package core

import (
	"fabricast/node/internal/model"
)

// Key identifies a matching queue: either the receives that one rank has posted with one pattern,
// or the unexpected messages at the rank that match the pattern. Source and tag may be wildcards.
type Key struct {
	Rank    int32 // slot of the rank in its block
	Context int32
	Source  int32
	Tag     int32
}

// Hash returns the hash of the key, for the hash table of queues.
func (k Key) Hash() uint32 {
	const m1, m2 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(uint32(k.Rank))<<32 | uint64(uint32(k.Source))
	h = (h ^ h>>29) * m1
	h ^= uint64(uint32(k.Context))<<32 | uint64(uint32(k.Tag))
	h = (h ^ h>>32) * m2
	return uint32(h >> 32)
}

// The shapes of a pattern: which of its fields are wildcards.
const (
	anySource = iota
	anyTag
	anyMessage
	Exact
	Shapes = Exact // number of shapes with wildcards
)

// Shape returns the shape of a pattern.
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

// As returns the exact pattern k with the wildcards of a shape.
func (k Key) As(shape int) Key {
	if shape == anySource || shape == anyMessage {
		k.Source = model.AnySource
	}
	if shape == anyTag || shape == anyMessage {
		k.Tag = model.AnyTag
	}
	return k
}

// Queue is a nonempty FIFO of posted receives or of unexpected messages. It is a circular list of
// its elements; Queue stores only the last element, whose successor is the first. The key is read
// from the elements, which keeps a Queue at 8 bytes.
type Queue struct {
	Hash uint32 // of the key
	Last uint32 // element<<QueueBits | kind of contents; 0 if the entry is unused
}

// The kinds of contents of a queue: the shape (0 to Exact) of unexpected messages, or receives.
const (
	PostedQueue = Exact + 1
	// onlyReceive marks an entry that holds the rank's only posted receive, while the rank has no
	// queues. Most programs that wait for one message at a time match in this way, without
	// computing a hash.
	onlyReceive = Exact + 2
	// MoreQueues in the last queue of a rank's record means that the rank has a table. Hash is then
	// the position of the table in the tables of the block, and the element is the logarithm of its
	// size.
	MoreQueues = Exact + 3
	QueueBits  = 3
	// maxElements is the maximum number of receives, and of unexpected messages, in a block.
	maxElements = 1 << (32 - QueueBits)
)

func (q Queue) Element() uint32 { return q.Last >> QueueBits }

func (q Queue) What() int { return int(q.Last & (1<<QueueBits - 1)) }

func (q Queue) Posted() bool { return q.What() == PostedQueue }

func (q Queue) Only() bool { return q.What() == onlyReceive }

func (q Queue) More() bool { return q.What() == MoreQueues }

// SetLast sets the queue's last element.
func (q *Queue) SetLast(element uint32) { q.Last = element<<QueueBits | uint32(q.What()) }
