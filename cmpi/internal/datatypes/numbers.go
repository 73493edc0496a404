package datatypes

import (
	"sync"
	"sync/atomic"

	"fabricast/cmpi/internal/host"
)

// Numbers translates the numbers of signatures between processes that share a run. Each process
// numbers signatures of several kinds by itself.
type Numbers struct {
	announced [1 << numberBits]atomic.Bool // by number: others know it
	mutex     sync.Mutex
	known     []map[int32]int32 // of each process, as this one knows them
}

// NewNumbers returns the numbers of a run by some processes.
func NewNumbers(processes int) *Numbers {
	n := &Numbers{known: make([]map[int32]int32, processes)}
	for p := range n.known {
		n.known[p] = map[int32]int32{}
	}
	return n
}

// New reports whether other processes do not know the meaning of a number yet. It reports that once.
func (n *Numbers) New(number int32) bool {
	return number >= firstMixed && !n.announced[number].Swap(true)
}

// Receive stores what a number of another process means.
func (n *Numbers) Receive(process int, number int32, words []int64) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.known[process][number] = host.KnownSignature(words)
}

// own returns this process's number of a signature of another one.
func (n *Numbers) own(process int, number int32) int32 {
	if number < firstMixed {
		return number
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.known[process][number]
}

// Signature returns a signature of another process as this one knows it.
func (n *Numbers) Signature(process int, s Signature) Signature {
	return s.withNumber(n.own(process, s.Number()))
}

// Mark returns a mark of another process as this one knows it.
func (n *Numbers) Mark(process int, mark uint64) uint64 {
	return mark&(1<<markShift-1) | uint64(n.own(process, Of(mark)))<<markShift
}
