package node

// key identifies a matching queue: the receives posted with one pattern at one rank, or the
// unexpected messages that match it. Source and tag may be wildcards.
type key struct {
	rank    int32 // slot of the rank in its block
	context int32
	source  int32
	tag     int32
}

// hash returns the key's hash for the table.
func (k key) hash() uint32 {
	const m1, m2 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(uint32(k.rank))<<32 | uint64(uint32(k.source))
	h = (h ^ h>>29) * m1
	h ^= uint64(uint32(k.context))<<32 | uint64(uint32(k.tag))
	h = (h ^ h>>32) * m2
	return uint32(h >> 32)
}

// Shapes are the ways in which a pattern can have wildcards.
const (
	anySource = iota
	anyTag
	anyMessage
	exact
	shapes = exact // that have wildcards
)

// shape returns which wildcards a pattern has.
func (k key) shape() int {
	switch {
	case k.source == AnySource && k.tag == AnyTag:
		return anyMessage
	case k.tag == AnyTag:
		return anyTag
	case k.source == AnySource:
		return anySource
	}
	return exact
}

// as returns an exact pattern with the wildcards of a shape.
func (k key) as(shape int) key {
	if shape == anySource || shape == anyMessage {
		k.source = AnySource
	}
	if shape == anyTag || shape == anyMessage {
		k.tag = AnyTag
	}
	return k
}

// queue is a FIFO of posted receives or of unexpected messages that is not empty.
// It is a ring through its elements; only the last of them is kept here, whose
// successor is the first. The key is read from the elements, which keeps a queue
// at 8 bytes.
type queue struct {
	hash uint32 // of the key
	last uint32 // element<<queueBits | what; 0 in an empty place
}

// The contents of a queue: unexpected messages indexed by a shape (0 to exact), or receives.
const (
	postedQueue = exact + 1
	// onlyReceive stands in place of a queue for the rank's only receive, while the rank has no
	// queues. Most programs that wait for one message at a time match by it without computing a
	// hash.
	onlyReceive = exact + 2
	// moreQueues in the last queue of a rank's record means that the rank has a table: hash is its
	// first place in the tables of the block, the element the logarithm of its size.
	moreQueues = exact + 3
	queueBits  = 3
	// maxElements is how many receives, and how many unexpected messages, a block can hold.
	maxElements = 1 << (32 - queueBits)
)

func (q queue) element() uint32 { return q.last >> queueBits }

func (q queue) what() int { return int(q.last & (1<<queueBits - 1)) }

func (q queue) posted() bool { return q.what() == postedQueue }

func (q queue) only() bool { return q.what() == onlyReceive }

func (q queue) more() bool { return q.what() == moreQueues }

// setLast sets the queue's last element.
func (q *queue) setLast(element uint32) { q.last = element<<queueBits | uint32(q.what()) }
