//go:build cgo && linux && (amd64 || arm64)

package transport

import (
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"

	"fabricast/internal/osyield"
	"fabricast/internal/panics"
	"fabricast/internal/sharedlib"
)

// MPI is a group whose processes communicate by MPI.
//
// MPI is initialized so that any thread may call it, one at a time. All its calls return at once.
// The waiting is done in Go, so that it takes little CPU time if a machine has more processes than
// cores, and never blocks the garbage collector.
type MPI struct {
	*library
	numbers numbers
	rank    int
	size    int
	values  [2][]int64 // of Least: operands and results
	later   [2][]int64 // of StartLeast: operands and results
	sends   []int64    // of Exchange: 1 for each process to which something is sent
	started []request
	in      [][]byte // received data, by process
	from    [][]byte
	ends    chan func()
	args    []uintptr // arguments of the current call
}

// numbers holds the variables that MPI writes. It is allocated on the heap, whose objects do not
// move.
type numbers struct {
	a, b   int32
	mine   int64
	one    request
	late   request // of StartLeast
	status [64]byte
}

// request has space for an MPI_Request of any library.
type request [8]byte

// serialized is MPI_THREAD_SERIALIZED: several threads may call MPI, one at a time.
const serialized = 2

// Message tags. A process may send the messages of its next Swap before another has received all
// those of the current one, so messages of Swap are received from one process after the other.
const (
	tagOfExchange = 7
	tagOfSwap     = 8
	tagOfTrade    = 9
)

// Join returns the group of all processes that a launcher has started.
func Join(l Launcher) (*MPI, error) {
	kept := sharedlib.KeepSignals() // loading and initialization install signal handlers
	lib, err := load(&l)
	if err != nil {
		kept.Restore()
		return nil, err
	}
	m := &MPI{library: lib, ends: make(chan func())}
	begun := make(chan error)
	panics.Go("calls of MPI", func() { m.stand(begun) })
	err = <-begun
	if kept.Restore(); err != nil {
		return nil, err
	}
	if m.size != l.Size {
		return nil, fmt.Errorf(
			"%s has started %d processes, but %s finds %d: it does not fit the launcher (with srun, "+
				"choose its interface, as in srun --mpi=pmix or --mpi=pmi2; %s names another library)",
			l.Name, l.Size, lib.name, m.size, LibraryVariable,
		)
	}
	m.in, m.from = make([][]byte, m.size), make([][]byte, m.size)
	m.sends, m.started = make([]int64, m.size), make([]request, m.size)
	return m, nil
}

// stand initializes MPI and later finalizes it, in the same thread.
func (m *MPI) stand(begun chan<- error) {
	runtime.LockOSThread()
	n := &m.numbers
	sharedlib.Call(m.initThread, 0, 0, serialized, sharedlib.Address(&n.a))
	sharedlib.Call(m.library.rank, m.world, sharedlib.Address(&n.b))
	m.rank = int(n.b)
	sharedlib.Call(m.library.size, m.world, sharedlib.Address(&n.b))
	m.size = int(n.b)
	if n.a < serialized {
		begun <- fmt.Errorf("%s cannot be called by several threads, one at a time, which runs over "+
			"processes need", m.name)
		return
	}
	begun <- nil
	(<-m.ends)()
}

// Library returns the name of the MPI library.
func (m *MPI) Library() string { return m.name }

// Rank implements Group.
func (m *MPI) Rank() int { return m.rank }

// Size implements Group.
func (m *MPI) Size() int { return m.size }

// Least implements Group.
func (m *MPI) Least(values []int64) {
	m.reduce(&m.values, values, &m.numbers.one)
	m.complete(&m.numbers.one)
	copy(values, m.values[1])
}

// StartLeast implements Group.
func (m *MPI) StartLeast(values []int64) { m.reduce(&m.later, values, &m.numbers.late) }

// FinishLeast implements Group.
func (m *MPI) FinishLeast(values []int64) {
	m.complete(&m.numbers.late)
	copy(values, m.later[1])
}

// reduce starts a minimum reduction of values. room holds copies of operands and results.
func (m *MPI) reduce(room *[2][]int64, values []int64, r *request) {
	for i := range room {
		room[i] = append(room[i][:0], values...)
	}
	m.call(
		m.iallreduce, sharedlib.Start(room[0]), sharedlib.Start(room[1]),
		uintptr(len(values)), m.int64s, m.least, m.world, sharedlib.Address(r),
	)
}

// Exchange implements Group. The processes first sum up how many messages each of them receives. If
// there are two processes, each always sends one message, possibly empty, which is faster.
func (m *MPI) Exchange(to [][]byte) [][]byte {
	clear(m.sends)
	for p, data := range to {
		m.sends[p] = int64(min(1, len(data)))
		fits(data)
	}
	if m.size == 2 {
		m.sends[1-m.rank] = 1
	}
	coming := m.coming()
	for p, sent := range m.sends {
		if sent != 0 {
			m.send(p, to, tagOfExchange)
		}
	}
	clear(m.from)
	for range coming {
		m.receive(m.anySource, tagOfExchange)
	}
	for p, sent := range m.sends {
		if sent != 0 {
			m.complete(&m.started[p])
		}
	}
	runtime.KeepAlive(to)
	return m.from
}

// fits panics if the data exceeds the limit of a message.
func fits(data []byte) {
	if len(data) > math.MaxInt32 {
		panic(fmt.Sprintf("%d bytes for another process are more than a message of MPI holds", len(data)))
	}
}

// Trade implements Group.
func (m *MPI) Trade(with []int, to [][]byte) [][]byte {
	for _, p := range with {
		fits(to[p])
		m.send(p, to, tagOfTrade)
	}
	clear(m.from)
	for _, p := range with {
		m.receive(uintptr(p), tagOfTrade)
	}
	for _, p := range with {
		m.complete(&m.started[p])
	}
	runtime.KeepAlive(to)
	return m.from
}

// Swap implements Group.
func (m *MPI) Swap(to [][]byte) [][]byte {
	for p := range to {
		if p != m.rank {
			m.send(p, to, tagOfSwap)
		}
	}
	clear(m.from)
	for p := range to {
		if p != m.rank {
			m.receive(uintptr(p), tagOfSwap)
		}
	}
	for p := range to {
		if p != m.rank {
			m.complete(&m.started[p])
		}
	}
	runtime.KeepAlive(to)
	return m.from
}

// coming sums up the number of messages for each process, and returns the number for this one.
func (m *MPI) coming() int64 {
	n := &m.numbers
	if m.size == 2 {
		return 1 + m.sends[m.rank]
	}
	m.call(
		m.ireduceScatterBlock, sharedlib.Start(m.sends), sharedlib.Address(&n.mine), 1, m.int64s,
		m.sum, m.world, sharedlib.Address(&n.one),
	)
	m.complete(&n.one)
	return n.mine
}

// send starts to send the data for process p; nothing if `to` is too short.
func (m *MPI) send(p int, to [][]byte, tag uintptr) {
	var data []byte
	if p < len(to) {
		data = to[p]
	}
	m.call(
		m.isend, sharedlib.Start(data), uintptr(len(data)), m.bytes, uintptr(p), tag, m.world,
		sharedlib.Address(&m.started[p]),
	)
}

// receive receives one message with the given tag from a process, or from any process.
func (m *MPI) receive(from, tag uintptr) {
	n := &m.numbers
	for w := (waiting{}); !m.arrived(from, tag); w.again() {
	}
	source := *(*int32)(unsafe.Pointer(&n.status[m.source]))
	m.call(m.getCount, sharedlib.Address(&n.status), m.bytes, sharedlib.Address(&n.b))
	if cap(m.in[source]) < int(n.b) {
		m.in[source] = make([]byte, n.b+n.b/4)
	}
	data := m.in[source][:n.b]
	m.call(
		m.irecv, sharedlib.Start(data), uintptr(n.b), m.bytes, uintptr(source), tag, m.world,
		sharedlib.Address(&n.one),
	)
	m.complete(&n.one)
	m.from[source] = data
}

// arrived reports whether a message can be received, and stores its status.
func (m *MPI) arrived(from, tag uintptr) bool {
	n := &m.numbers
	m.call(m.iprobe, from, tag, m.world, sharedlib.Address(&n.a), sharedlib.Address(&n.status))
	return n.a != 0
}

// complete waits until a request is complete.
func (m *MPI) complete(r *request) {
	for w := (waiting{}); !m.completed(r); w.again() {
	}
}

// completed reports whether a request is complete.
func (m *MPI) completed(r *request) bool {
	m.call(m.test, sharedlib.Address(r), sharedlib.Address(&m.numbers.a), m.noStatus())
	return m.numbers.a != 0
}

// call calls a function of the library. It reuses the memory of the arguments, which sharedlib.Call
// would allocate for each call.
func (m *MPI) call(function uintptr, args ...uintptr) {
	m.args = append(m.args[:0], args...)
	sharedlib.Call(function, m.args...)
}

// noStatus is the argument that stands for no status.
func (m *MPI) noStatus() uintptr { return m.ignore }

// A waiting process first tests `spins` times, then yields to other threads between tests. Once it
// has waited longer than given, it sleeps for nap between tests.
const (
	spins = 50
	given = 500 * time.Microsecond
	nap   = 20 * time.Microsecond
)

// waiting passes the time between two tests. It allocates nothing, because garbage from waiting
// would make the heap grow.
type waiting struct {
	tests int
	begin time.Time
}

func (w *waiting) again() {
	if w.tests++; w.tests < spins {
		return
	}
	if w.tests == spins {
		w.begin = time.Now()
	}
	if time.Since(w.begin) < given {
		osyield.Yield()
	} else {
		time.Sleep(nap)
	}
}

// Abort ends all processes at once.
func (m *MPI) Abort(code int) { sharedlib.Call(m.abort, m.world, uintptr(code)) }

// End finalizes MPI. It is collective, and no process may use the group afterwards.
func (m *MPI) End() {
	ended := make(chan struct{})
	m.ends <- func() {
		sharedlib.Call(m.finalize)
		close(ended)
	}
	<-ended
}
