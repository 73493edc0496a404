package node

import (
	"encoding/binary"
)

// op is an emitted operation that the node has yet to carry out. Its times were computed when it
// was emitted.
type op struct {
	request uint32
	kind    Kind   // Send, Recv, Put, Get or Atomic
	how     uint8  // Send: the kind of the message
	nic     uint16 // Send: 1 + the NIC that it leaves by, 0 if it is the next one's turn
	source  int32  // Send: the sender's rank in its communicator
	dst     int32  // Send: world rank
	tag     int32
	context int32
	size    int64  // bytes
	sent    int64  // ps: when send was called
	post    int64  // ps: when the NIC may start; Recv: when it was posted
	payload uint32 // Send: handle of the contents, 0 if there are none
	gap     uint32 // Send: packet times that the NIC pauses after each packet
	remote  uint32 // Put, Get, Atomic: where Ops says more about it; Send: the message's name
	started uint32 // a request that is complete when the operation begins, 0 if there is none
}

// remote is the part of an op that concerns the memory of another rank.
type remote struct {
	place  int64
	length int64 // bytes
	region int32
	code   int64 // Change of a word, or number of a combination
	value  [2]int64
}

// oneSided reports whether operations of a kind are accesses to another rank's memory.
func oneSided(k Kind) bool { return k == Put || k == Get || k == Atomic }

// Access holds what all one-sided operations name: the memory of another rank.
type Access struct {
	Rank     int32   // world rank of whose memory it is
	Region   int32   // number of the region there, as Register gave it; 0 if contents do not matter
	Place    int64   // byte of the region
	Detached bool    // a put that nobody waits for: it has no request
	Options  Options // NIC, and Gap of every message with contents, also of what comes back
}

// The changes. Each returns the earlier value of the word.
const (
	FetchAdd       Change = iota // the operand is added
	Swap                         // the operand takes its place
	CompareAndSwap               // the operand takes its place if it is what it is compared with
)

// wordBytes is the size of a word in bytes.
const wordBytes = 8

// change applies an atomic operation to a word and returns the word's earlier value.
func change(word []byte, c Change, operand, compare int64) int64 {
	was := int64(binary.LittleEndian.Uint64(word))
	now := operand
	switch {
	case c == FetchAdd:
		now += was
	case c == CompareAndSwap && was != compare:
		return was
	}
	binary.LittleEndian.PutUint64(word, uint64(now))
	return was
}

// completion is the end of a one-sided operation that a rank of the block has begun.
type completion struct {
	handle uint32 // of its request; 0 if nobody waits for it
	at     int64  // ps
}
