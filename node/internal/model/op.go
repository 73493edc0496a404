package model

import "math"

// Wildcards for receives and probes.
const (
	AnySource int32 = -1
	AnyTag    int32 = -1
)

// Kind is the kind of an operation, or of what a rank waits for.
type Kind uint8

const (
	Sync    Kind = iota // hand control back once the operations before it are done
	Send                // start a send; its request completes when the buffer may be reused
	Recv                // post a receive; its request completes when the message is in memory
	WaitAll             // block until all requests of a list are complete
	WaitAny             // block until at least one request of a list is complete
	Test                // has the request completed by now?
	Probe               // block until a matching message is there
	Iprobe              // is a matching message there now?
	Exit                // the rank's program has ended
	// copy into another rank's memory; the request completes when the NIC there has confirmed it
	Put
	// copy from another rank's memory; the request completes when the data is in the buffer
	Get
	// change a word of another rank's memory; the request completes when its old value is known
	Atomic
	WaitNext // block until one of the watched requests is complete
	TestNext // has one of them completed before the rank's clock?
	Failed   // the rank's program cannot go on
	Paused   // the rank goes on when its host's time has come to its clock
	// of programs whose operations wait for their turn, see ready
	Computed    // a computation
	Timed       // a computation that goes on beside others
	TakingTurns // the rank's program has operations that have not had their turn
)

// Buf is a message buffer: real bytes, or only a size. A program that only moves sizes needs no
// memory for data.
type Buf struct {
	data []byte
	size int64
}

// Size returns a buffer of n bytes without contents.
func Size(n int) Buf { return Buf{size: int64(n)} }

// Data returns a buffer whose contents are delivered.
func Data(b []byte) Buf { return Buf{data: b, size: int64(len(b))} }

// Len returns the buffer's size in bytes.
func (b Buf) Len() int { return int(b.size) }

// Bytes returns the contents, nil for a buffer that has only a size.
func (b Buf) Bytes() []byte { return b.data }

// HasData reports whether the buffer has contents.
func (b Buf) HasData() bool { return b.data != nil }

// Slice returns the part of the buffer from byte off, n bytes long.
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

// FirstOps is how many operations there is room for at first.
const FirstOps = 64

// Options say how one message is sent. The zero value uses the experiment's settings.
type Options struct {
	// NIC is 1 + the number of the NIC by which the message leaves, and at which it arrives; 0
	// chooses as for messages without options.
	NIC int
	// Gap is how many packet times the NIC pauses after each packet of the message.
	Gap uint32
	// Protocol is the message's protocol. Between ranks of one host only Synchronous and the
	// rendezvous differ: the send is complete when the message has met its receive.
	Protocol Protocol
	// Copies says whether an eager message is copied at each end.
	Copies Copies
	// Name, if not 0, distinguishes the message from others of the rank with the same destination,
	// context and tag, for CancelSend.
	Name uint32
}

// Answered reports whether the options ask for a protocol in which NICs answer messages.
func (o *Options) Answered() bool { return o.Protocol > Eager }

// NoTag is the tag of puts that no receive or probe can find.
const NoTag int32 = -1

// Anything returns a receive buffer without contents that accepts messages of any size.
func Anything() Buf { return Buf{size: math.MaxInt64} }

// Change is the effect of an atomic operation on a word of 8 bytes, a signed little-endian number.
type Change uint8

// The changes. Each returns the earlier value of the word.
const (
	FetchAdd       Change = iota // the operand is added
	Swap                         // the operand takes its place
	CompareAndSwap               // the operand takes its place if it is what it is compared with
)
