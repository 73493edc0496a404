package core

import (
	"encoding/binary"

	"fabricast/node/internal/model"
)

// Op is an emitted operation that the node has yet to carry out. Its times were computed when it
// was emitted.
type Op struct {
	Request uint32
	Kind    model.Kind // Send, Recv, Put, Get or Atomic
	How     uint8      // Send: the kind of the message
	Nic     uint16     // Send: 1 + the NIC that it leaves by, 0 if it is the next one's turn
	Source  int32      // Send: the sender's rank in its communicator
	Dst     int32      // Send: world rank
	Tag     int32
	Context int32
	Size    int64  // bytes
	Sent    int64  // ps: when send was called
	Post    int64  // ps: when the NIC may start; Recv: when it was posted
	Payload uint32 // Send: handle of the contents, 0 if there are none
	Gap     uint32 // Send: packet times that the NIC pauses after each packet
	Remote  uint32 // Put, Get, Atomic: where Ops says more about it; Send: the message's name
	Started uint32 // a request that is complete when the operation begins, 0 if there is none
}

// Remote is the part of an op that concerns the memory of another rank.
type Remote struct {
	Place  int64
	Length int64 // bytes
	Region int32
	Code   int64 // Change of a word, or number of a combination
	Value  [2]int64
}

// OneSided reports whether operations of a kind are accesses to another rank's memory.
func OneSided(k model.Kind) bool { return k == model.Put || k == model.Get || k == model.Atomic }

// Access holds what all one-sided operations name: the memory of another rank.
type Access struct {
	Rank     int32         // world rank of whose memory it is
	Region   int32         // number of the region there, as Register gave it; 0 if contents do not matter
	Place    int64         // byte of the region
	Detached bool          // a put that nobody waits for: it has no request
	Options  model.Options // NIC, and Gap of every message with contents, also of what comes back
}

// WordBytes is the size of a word in bytes.
const WordBytes = 8

// ChangeWord applies an atomic operation to a word and returns the word's earlier value.
func ChangeWord(word []byte, c model.Change, operand, compare int64) int64 {
	was := int64(binary.LittleEndian.Uint64(word))
	now := operand
	switch {
	case c == model.FetchAdd:
		now += was
	case c == model.CompareAndSwap && was != compare:
		return was
	}
	binary.LittleEndian.PutUint64(word, uint64(now))
	return was
}

// Completion is the end of a one-sided operation that a rank of the block has begun.
type Completion struct {
	Handle uint32 // of its request; 0 if nobody waits for it
	At     int64  // ps
}
