package core

import (
	"encoding/binary"

	"fabricast/node/internal/model"
)

// Op is an emitted operation that the node has not executed yet. Its times were computed when it
// was emitted.
type Op struct {
	Request uint32
	Kind    model.Kind // Send, Recv, Put, Get or Atomic
	How     uint8      // Send: kind of the message
	Nic     uint16     // Send: 1 + the NIC to use; 0 selects the next one in turn
	Source  int32      // Send: the sender's rank in the context's communicator
	Dst     int32      // Send: world rank of the destination
	Tag     int32
	Context int32
	Size    int64  // bytes
	Sent    int64  // ps: when send was called
	Post    int64  // ps: earliest start at the NIC; Recv: time of posting
	Payload uint32 // Send: handle of the contents; 0 if there are none
	Gap     uint32 // Send: pause of the NIC after each packet, in packet times
	Remote  uint32 // Put, Get, Atomic: index of the Remote in Ops; Send: name of the message
	Started uint32 // a request that completes when the operation starts; 0 if there is none
}

// Remote is the part of an operation that describes the memory of another rank.
type Remote struct {
	Place  int64
	Length int64 // bytes
	Region int32
	Code   int64 // the Change of a word, or the ID of a combination
	Value  [2]int64
}

// OneSided reports whether operations of kind k access the memory of another rank.
func OneSided(k model.Kind) bool { return k == model.Put || k == model.Get || k == model.Atomic }

// Access describes what is common to all one-sided operations: the memory of another rank.
type Access struct {
	Rank int32 // world rank of the target
	// ID of the target's region, as returned by Register; 0 if contents do not matter
	Region   int32
	Place    int64         // offset in the region, in bytes
	Detached bool          // a put without a request: nobody waits for it
	Options  model.Options // NIC, and Gap for every message with contents, replies included
}

// WordBytes is the size of a word in bytes.
const WordBytes = 8

// ChangeWord applies an atomic operation to a word and returns the word's old value.
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

// Completion is the completion of a one-sided operation that a rank of the block has started.
type Completion struct {
	Handle uint32 // the operation's request; 0 if it has none
	At     int64  // ps: time of the completion
}
