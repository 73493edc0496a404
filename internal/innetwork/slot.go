package innetwork

// Words of a slot: the state of one segment at a router.
const (
	slotKey      = iota // context and tag, plus 1 in the highest bit: the slot is used
	slotNumber          // number of the segment, and of the operands that have come
	slotSize            // bytes of the largest operand
	slotFrom            // NIC and rank of the last operand's sender
	slotSent            // when that was sent (ps)
	slotChildren        // for each child, in 32 bits: handle of its contents, and whether it wants the result
)

const (
	used = 1 << 63
	want = 1 << 31 // of a child's bits; handles are below
)

// wordsOf returns the number of words of a slot with the given number of children.
func wordsOf(children int) int { return slotChildren + (children+1)/2 }

// slot is the state of a segment.
type slot []uint64

func (s slot) child(i int) uint32 { return uint32(s[slotChildren+i/2] >> (32 * (i % 2))) }

func (s slot) setChild(i int, v uint32) {
	at, shift := slotChildren+i/2, 32*(i%2)
	s[at] = s[at]&^(0xffffffff<<shift) | uint64(v)<<shift
}

func key(context, tag int32) uint64 { return used | uint64(uint32(context))<<32 | uint64(uint32(tag)) }

func (s slot) is(key uint64, number uint16) bool {
	return s[slotKey] == key && uint16(s[slotNumber]) == number
}

func (s slot) arrived() int { return int(s[slotNumber] >> 16) }

func (s slot) free() { clear(s) }

// find returns the slot of a segment at a router of a tree. If it has none yet, it gets one; nil if all
// are used.
func (n *Node) find(state []uint64, slots int, key uint64, number uint16) slot {
	words := wordsOf(len(n.Below))
	var empty slot
	for i := range slots {
		s := slot(state[n.base+i*words:][:words])
		if s.is(key, number) {
			return s
		}
		if s[slotKey] == 0 && empty == nil {
			empty = s
		}
	}
	if empty != nil {
		empty[slotKey], empty[slotNumber] = key, uint64(number)
	}
	return empty
}
