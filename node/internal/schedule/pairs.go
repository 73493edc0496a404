package schedule

import (
	"math/bits"

	"fabricast/fabric"
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
)

// Pair is the sending and the receiving rank of a message.
type Pair struct{ From, To int32 }

// pairs holds a number for each pair of ranks that has exchanged a message, and the message that the pair holds
// back. It is a hash table with linear probing, whose entries stay.
type pairs struct {
	keys    []uint64 // see key; 0 if the entry is unused
	numbers []uint16
	held    []fabric.MsgID // nil until a pair holds back a message
	used    int
}

// leastPairs is the size of the smallest table of pairs, a power of two.
const leastPairs = 64

// key returns the key of a pair, which is not 0.
func (p Pair) key() uint64 { return (uint64(uint32(p.From))<<32 | uint64(uint32(p.To))) + 1 }

// pair returns the pair of a key.
func pair(key uint64) Pair { return Pair{int32((key - 1) >> 32), int32(key - 1)} }

// at returns the entry of a pair, with number 0 if it is new.
func (t *pairs) at(p Pair) int {
	if 8*t.used >= 7*len(t.keys) {
		t.grow()
	}
	key := p.key()
	i := t.place(key)
	if t.keys[i] == 0 {
		t.keys[i] = key
		t.used++
	}
	return i
}

// place returns the place of a key, or the unused entry in which to store it.
func (t *pairs) place(key uint64) int {
	mask := len(t.keys) - 1
	hash, _ := bits.Mul64(key*0x9e3779b97f4a7c15, uint64(len(t.keys))) // the highest bits of the product
	for i := int(hash); ; i = (i + 1) & mask {
		if t.keys[i] == key || t.keys[i] == 0 {
			return i
		}
	}
}

// grow doubles the table.
func (t *pairs) grow() {
	old := *t
	n := max(leastPairs, 2*len(old.keys))
	t.keys, t.numbers = make([]uint64, n), make([]uint16, n)
	if old.held != nil {
		t.held = make([]fabric.MsgID, n)
	}
	for i, key := range old.keys {
		if key == 0 {
			continue
		}
		to := t.place(key)
		t.keys[to], t.numbers[to] = key, old.numbers[i]
		if old.held != nil {
			t.held[to] = old.held[i]
		}
	}
}

// first returns the first message that the pair of an entry holds back; 0 if there is none.
func (t *pairs) first(i int) fabric.MsgID {
	if t.held == nil {
		return 0
	}
	return t.held[i]
}

// hold sets the first message that the pair of an entry holds back.
func (t *pairs) hold(i int, id fabric.MsgID) {
	if t.held == nil {
		t.held = make([]fabric.MsgID, len(t.keys))
	}
	t.held[i] = id
}

// state saves or restores the pairs and their numbers, by means of a list.
func (t *pairs) state(v *snapshot.Visitor, list *[]core.Numbered[Pair, uint16]) {
	*list = (*list)[:0]
	if !v.Restores() {
		for i, key := range t.keys {
			if key != 0 {
				*list = append(*list, core.Numbered[Pair, uint16]{Key: pair(key), Value: t.numbers[i]})
			}
		}
		core.SortNumbered(*list)
	}
	snapshot.List(v, list)
	if v.Restores() {
		clear(t.keys)
		clear(t.numbers)
		t.held, t.used = nil, 0
		for _, e := range *list {
			t.numbers[t.at(e.Key)] = e.Value
		}
	}
}
