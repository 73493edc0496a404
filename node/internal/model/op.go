package model

import "math"

// Wildcards for receives and probes.
const (
	AnySource int32 = -1
	AnyTag    int32 = -1
)

// Kind is the kind of an operation, or of the wait that blocks a rank.
type Kind uint8

const (
	Sync    Kind = iota // yield to the node until the preceding operations have been executed
	Send                // start a send; its request completes when the buffer may be reused
	Recv                // post a receive; its request completes when the message is in memory
	WaitAll             // block until all requests of a list are complete
	WaitAny             // block until at least one request of a list is complete
	Test                // test whether the request has completed
	Probe               // block until a matching message has arrived
	Iprobe              // test whether a matching message has arrived
	Exit                // the rank's program has ended
	// Put copies into another rank's memory; the request completes when the target's NIC has
	// acknowledged it.
	Put
	// Get copies from another rank's memory; the request completes when the data is in the buffer.
	Get
	// Atomic changes a word of another rank's memory; the request completes when the word's old
	// value is known.
	Atomic
	WaitNext // block until one of the watched requests is complete
	TestNext // test whether one of the watched requests has completed before the rank's clock
	Failed   // the rank's program has failed
	Paused   // the rank is paused until its host's time reaches its clock
	// Computed is a computation. It and the following kinds occur in programs whose operations wait
	// for their turn on the processor, see ready.go.
	Computed    // a computation
	Timed       // a computation concurrent with others
	TakingTurns // the rank has operations that have not had their turn
)

// Buf is a message buffer: real bytes, or only a size. A buffer without contents needs no memory
// for data.
type Buf struct {
	data []byte
	size int64
}

// Size returns a buffer of n bytes without contents.
func Size(n int) Buf { return Buf{size: int64(n)} }

// Data returns a buffer whose contents are delivered to the receiver.
func Data(b []byte) Buf { return Buf{data: b, size: int64(len(b))} }

// Len returns the buffer's size in bytes.
func (b Buf) Len() int { return int(b.size) }

// Bytes returns the contents, nil for a buffer that has only a size.
func (b Buf) Bytes() []byte { return b.data }

// HasData reports whether the buffer has contents.
func (b Buf) HasData() bool { return b.data != nil }

// Slice returns the n bytes of the buffer from offset off.
func (b Buf) Slice(off, n int) Buf {
	if b.data != nil {
		return Buf{data: b.data[off : off+n : off+n], size: int64(n)}
	}
	if off < 0 || n < 0 || int64(off)+int64(n) > b.size {
		panic("buffer slice out of range")
	}
	return Buf{size: int64(n)}
}

// Request is a handle of a started operation. It is valid until the operation has been waited for
// (or tested successfully). The zero Request is complete.
type Request struct{ ID uint32 }

// FirstOps is the initial capacity for operations.
const FirstOps = 64

// Options are options for sending one message. The zero value selects the experiment's settings.
type Options struct {
	// NIC is 1 + the index of the NIC that the message uses at both ends; 0 selects it as for
	// messages without options.
	NIC int
	// Gap is the pause of the NIC after each packet of the message, in packet times.
	Gap uint32
	// Protocol is the message's protocol. Between ranks of one host the protocols differ only for
	// Synchronous and the rendezvous: the send is complete when the message has matched a receive.
	Protocol Protocol
	// Copies selects whether an eager message is copied at each end.
	Copies Copies
	// Name, if not 0, distinguishes the message, for CancelSend, from other messages of the rank
	// with the same destination, context and tag.
	Name uint32
	// Tree, if not 0, is 1 + the number that the message has for the switches, which consume it. The
	// destination is then the rank itself, to which they send a message of the same tag and number.
	Tree uint32
	// Combination, with Tree, is that of the contents (see World.Combine); 0: there are none to combine.
	Combination int64
}

// Answered reports whether the options select a protocol in which NICs reply to messages.
func (o *Options) Answered() bool { return o.Protocol > Eager }

// NoTag is the tag of puts that no receive or probe can match.
const NoTag int32 = -1

// Anything returns a receive buffer without contents that accepts messages of any size.
func Anything() Buf { return Buf{size: math.MaxInt64} }

// Change is the effect of an atomic operation on a word, a signed 8-byte little-endian integer.
type Change uint8

// The changes. Each returns the old value of the word.
const (
	FetchAdd       Change = iota // add the operand
	Swap                         // replace the word by the operand
	CompareAndSwap               // replace the word by the operand if it equals the compare value
)
