package node

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"

	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// Common is what the ranks of programs share beside the world. Where several processes share the
// world, each of them has a Common for its own ranks.
type Common interface {
	// Begin is called before any rank begins, with the world of the ranks.
	Begin(w *World)
	// Receive takes what the Common of another process has announced to this one by World.Announce. It is called
	// before any message arrives that was sent later. message is valid during the call only.
	Receive(process int, message []byte)
	// Mark returns the mark by which this process knows what another process has marked so.
	Mark(process int, mark uint64) uint64
	// Combination returns the functions that a key of another process describes (see Described).
	Combination(description []byte) (combine func(memory, data []byte), gather func(data, memory []byte))
	// Last is called when the run has ended, and may still announce something. Settle is called after
	// that: all processes agree on what comes of the run.
	Last()
	Settle(g cluster.Group)
}

// Lasting is a Common of programs that leave something outside of the simulation while they run, such
// as output.
type Lasting interface {
	Common
	// State goes over what they have not left there yet. It restores that into the Common alone.
	State(v *snapshot.Visitor)
	// Again says that the programs now run again, up to a checkpoint, and then that they have done
	// so.
	Again(runs bool)
}

// Described is a key of World.Combine and World.Scatter that other processes can understand.
type Described interface {
	// Description returns what Common.Combination makes the same functions of.
	Description() []byte
}

// ToAll as the receiver of a control message stands for all other processes.
const ToAll = -1

// Kinds of control messages.
const (
	controlOfCommon uint8 = iota
	controlContexts
	controlCombination
	controlJournal
	controlNumber
)

const controlHead = 1 + 4 // kind, bytes

// controlQueue keeps what this process announces to the others until messages between processes are carried.
type controlQueue struct {
	mutex  sync.Mutex
	queues [][][]byte // by process
	urgent atomic.Bool
}

// send queues a control message for a process, or for all. Urgent ones are carried at the end of this window,
// others when something else is.
func (e *others) send(to int, urgent bool, kind uint8, message []byte) {
	item := make([]byte, controlHead, controlHead+len(message))
	item[0] = kind
	binary.LittleEndian.PutUint32(item[1:], uint32(len(message)))
	item = append(item, message...)
	n := &e.control
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for p := range n.queues {
		if p != e.group.Rank() && (to == ToAll || to == p) {
			n.queues[p] = append(n.queues[p], item)
		}
	}
	if urgent {
		n.urgent.Store(true)
	}
}

// take returns the control messages for each process, and forgets them.
func (n *controlQueue) take() [][]byte {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	all := make([][]byte, len(n.queues))
	for p, items := range n.queues {
		all[p] = slices.Concat(items...)
		n.queues[p] = nil
	}
	n.urgent.Store(false)
	return all
}

// Apart reports whether the world has ranks in several processes.
func (w *World) Apart() bool { return w.others != nil }

// MayPart reports whether what ranks share has to go through messages and Tell: the world has ranks in
// several processes, or keeps a journal, with which it may go on in several.
func (w *World) MayPart() bool { return w.others != nil || w.saved }

// Saved reports whether the run leaves checkpoints, or goes on from one.
func (w *World) Saved() bool { return w.saved }

// Process is the number of this process among those that share the world, and Processes is how many
// there are.
func (w *World) Process() int {
	if w.others == nil {
		return 0
	}
	return w.others.group.Rank()
}

// Processes is the number of processes that share the world.
func (w *World) Processes() int {
	if w.others == nil {
		return 1
	}
	return w.others.group.Size()
}

// Announce passes a control message to the Common of another process, or ToAll. Urgent ones arrive before any
// message that is sent after the call; others may wait. With one process it does nothing. Any
// goroutine may call it.
func (w *World) Announce(to int, urgent bool, message []byte) {
	if w.others != nil {
		w.others.send(to, urgent, controlOfCommon, message)
	}
}

// Here returns how many ranks of a list this process runs; a nil list stands for all ranks.
func (w *World) Here(ranks []int32) int {
	n := 0
	if ranks != nil && w.others == nil {
		return len(ranks)
	}
	if ranks == nil {
		for _, b := range w.blocks.all() {
			n += len(b.ranks)
		}
		return n
	}
	e := w.others
	e.once.Do(func() {
		e.own = make([]bool, len(w.shared.HostOf))
		for _, b := range w.blocks.all() {
			for i := range b.ranks {
				e.own[b.ranks[i].ID] = true
			}
		}
	})
	for _, r := range ranks {
		if e.own[r] {
			n++
		}
	}
	return n
}

// GVT returns the global virtual time (ps) as the first block of this process knows it, 0 if there
// is none.
func (w *World) GVT() int64 {
	if len(w.blocks.all()) == 0 {
		return 0
	}
	return w.blocks.all()[0].ops.GVT()
}

// HasNews implements fabric.Contents.
func (b *Block) HasNews() bool { return b.world.others.control.urgent.Load() }

// News implements fabric.Contents.
func (b *Block) News() [][]byte { return b.world.others.control.take() }

// Hear implements fabric.Contents.
func (b *Block) Hear(process int, messages []byte) { b.world.receive(process, messages) }

// receive takes in the control messages of another process.
func (w *World) receive(process int, messages []byte) {
	for len(messages) > 0 {
		kind, size := messages[0], int(binary.LittleEndian.Uint32(messages[1:]))
		item := messages[controlHead : controlHead+size]
		messages = messages[controlHead+size:]
		switch kind {
		case controlOfCommon:
			w.others.common.Receive(process, item)
		case controlContexts:
			w.receiveContexts(item)
		case controlCombination:
			w.receiveCombination(item)
		case controlJournal:
			w.receiveJournal(item)
		case controlNumber:
			w.receiveNumber(item)
		}
	}
}

// exchangeControl brings all control messages that are left to the other processes. All processes call it.
func (w *World) exchangeControl() {
	if c := w.others.common; c != nil {
		c.Last()
	}
	for p, messages := range w.others.group.Exchange(w.others.control.take()) {
		if p != w.others.group.Rank() {
			w.receive(p, messages)
		}
	}
}

// makeContexts does what NewContexts does where several processes share the world: they all get to
// know the communicator.
func (w *World) makeContexts(c model.Creation, ranks []int32) int32 {
	g := w.others.group
	number := w.shared.Communicators.AddAmong(c, ranks, g.Rank(), g.Size())
	message := binary.LittleEndian.AppendUint32(nil, uint32(number))
	for _, r := range ranks {
		message = binary.LittleEndian.AppendUint32(message, uint32(r))
	}
	w.others.send(ToAll, true, controlContexts, message)
	return number * core.ContextsOfEach
}

func (w *World) receiveContexts(message []byte) {
	number, rest := int32(binary.LittleEndian.Uint32(message)), message[4:]
	var ranks []int32
	for ; len(rest) > 0; rest = rest[4:] {
		ranks = append(ranks, int32(binary.LittleEndian.Uint32(rest)))
	}
	w.shared.Communicators.Take(number, ranks)
}

// RanksOf returns the world ranks of the communicator that a context belongs to, by rank; nil for
// all ranks in their order.
func (w *World) RanksOf(context int32) []int32 {
	return w.Members(int(context / core.ContextsOfEach))
}

// Members returns the world ranks of a communicator by its number (Communicator), by rank; nil for all
// ranks in their order.
func (w *World) Members(number int) []int32 { return w.shared.Communicators.Members(number) }

// makeCombination does what number does where several processes share the world.
func (w *World) makeCombination(key any, x core.Combination) int64 {
	described, ok := key.(Described)
	if !ok {
		panic(ErrShared)
	}
	g := w.others.group
	n, made := w.shared.Combinations.Add(key, x, g.Rank(), g.Size())
	if made {
		message := binary.LittleEndian.AppendUint64(nil, uint64(n))
		w.others.send(ToAll, true, controlCombination, append(message, described.Description()...))
	}
	return n
}

func (w *World) receiveCombination(message []byte) {
	var x core.Combination
	x.Combine, x.Gather = w.others.common.Combination(slices.Clone(message[8:]))
	w.shared.Combinations.Take(int64(binary.LittleEndian.Uint64(message)), x)
}
