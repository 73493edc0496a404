package node

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
	failed   // the rank's program cannot go on
	paused   // the rank goes on when its host's time has come to its clock
	// of programs whose operations wait for their turn, see ready
	computed    // a computation
	timed       // a computation that goes on beside others
	takingTurns // the rank's program has operations that have not had their turn
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
