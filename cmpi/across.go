package cmpi

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/internal/cluster"
	"fabricast/node"
)

// Where several processes share a run, each has loaded the program for its own ranks only. What
// ranks of one process find in memory, processes send to each other: see node.Common.

// common is what the ranks of a job share, as package node sees it.
type common struct{ job *Job }

var _ node.Common = common{}

// Common returns what the ranks of the job share, for fabricast.Experiment.Common.
func (j *Job) Common() node.Common { return common{j} }

// abroad is what a job knows of the ranks of other processes.
type abroad struct {
	world *node.World
	kinds controlKinds
	// simulated time (ps) of the earliest output held back
	earliest *int64
	mutex    sync.Mutex
	ranks    map[int32][]int32 // by context: ranks of communicators in memory of the C side
	here     map[int32]int32   // by context: how many ranks of a communicator this process has
	// numbers of signatures of each process, as this one knows them
	signatures []map[int32]int32
	announced  [1 << signatureBits]atomic.Bool // by signature: others know it
	mirrors    map[int32]*window               // by context: windows in which all ranks take part
}

// firstMixed is the lowest number of a signature of several kinds, which each process numbers by
// itself.
const firstMixed = 10

// Begin implements node.Common.
func (c common) Begin(w *node.World) {
	c.job.host.Saved(w.Saved())
	if !w.MayPart() {
		return
	}
	a := &abroad{
		world: w, earliest: host.Earliest(), ranks: make(map[int32][]int32), here: make(map[int32]int32),
		signatures: make([]map[int32]int32, w.Processes()), mirrors: make(map[int32]*window),
	}
	for p := range a.signatures {
		a.signatures[p] = make(map[int32]int32)
	}
	c.job.abroad = a
	a.kinds = c.job.register(w.Control())
	c.job.host.Apart()
}

// controlKinds are the control messages of a job.
type controlKinds struct {
	output     cluster.Kind[struct{}, byte]
	signature  cluster.Kind[int32, int64] // number of a signature, and its words
	window     cluster.Kind[windowHead, byte]
	attached   cluster.Kind[attachedHead, byte]
	attendance cluster.Kind[struct{}, byte]
}

// register makes the control messages of a job known.
func (j *Job) register(c *cluster.Control) controlKinds {
	return controlKinds{
		output: cluster.Register(c, func(_ int, _ struct{}, text []byte) {
			host.GiveOutput(text)
			// what processes have printed up to the last window is here by now
			if gvt := j.abroad.world.GVT(); gvt > 0 {
				host.ReleaseOutput(gvt)
			}
		}),
		signature:  cluster.Register(c, j.abroad.receiveSignature),
		window:     cluster.Register(c, j.receiveWindow),
		attached:   cluster.Register(c, j.receiveAttached),
		attendance: cluster.Register(c, func(p int, _ struct{}, data []byte) { j.receiveAttendance(p, data) }),
	}
}

// sendOutput passes what ranks have printed to the first process, if this is another one.
func (j *Job) sendOutput() {
	if j.abroad.world.Process() == 0 {
		return
	}
	if data := host.TakeOutput(); len(data) > 0 {
		j.abroad.kinds.output.Send(0, true, struct{}{}, data)
	}
}

// sendSignature makes other processes know the signature of a mark that is about to be sent there.
func (j *Job) sendSignature(mark uint64) {
	number := int32(mark >> markShift)
	a := j.abroad
	if a == nil || number < firstMixed || a.announced[number].Swap(true) {
		return
	}
	a.kinds.signature.Send(cluster.Everyone, true, number, host.Signature(number))
}

func (a *abroad) receiveSignature(process int, number int32, words []int64) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.signatures[process][number] = host.KnownSignature(words)
}

// signature returns this process's number of a signature of another one.
func (a *abroad) signature(process int, number int32) int32 {
	if number < firstMixed {
		return number
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.signatures[process][number]
}

// Mark implements node.Common.
func (c common) Mark(process int, mark uint64) uint64 {
	number := c.job.abroad.signature(process, int32(mark>>markShift))
	return mark&(1<<markShift-1) | uint64(number)<<markShift
}

// ranksOf returns the ranks of a communicator in memory that the C side may keep.
func (a *abroad) ranksOf(context int32) []int32 {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	ranks := a.ranks[context]
	if ranks == nil {
		known := a.world.RanksOf(context)
		ranks = host.NewRanks(len(known))
		copy(ranks, known)
		a.ranks[context] = ranks
	}
	return ranks
}

// hereOf returns how many ranks of a communicator this process has. A null list of ranks stands for
// all.
func (a *abroad) hereOf(c *host.Call) int32 {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	n, known := a.here[c.Context]
	if !known {
		var ranks []int32
		if c.Ranks != nil {
			ranks = unsafe.Slice(c.Ranks, c.Size)
		}
		n = int32(a.world.Here(ranks))
		a.here[c.Context] = n
	}
	return n
}

// --- Windows ---

// windowHead is what precedes a rank's part of a window for other processes.
type windowHead struct {
	Parent     int32 // context of the communicator
	Number     int32 // of the window there
	Size, Rank int32 // of the communicator
	Context    int32 // of the window, from rank 0; else -1
	Whole      int64 // bytes of the part in memory; those that others may need follow
}

// sendWindow makes other processes know this rank's part of a window.
func (j *Job) sendWindow(key meeting, by *comm, context int32) {
	c := by.call
	head := windowHead{key.context, key.number, by.size, by.rank, context, c.RecvSize}
	j.abroad.kinds.window.Send(cluster.Everyone, true, head, unsafe.Slice(c.Send, c.SendSize))
}

func (j *Job) receiveWindow(_ int, head windowHead, part []byte) {
	mirror := host.NewMirror(part, int(head.Whole))
	s := &j.windows
	s.Lock()
	defer s.Unlock()
	key := meeting{head.Parent, head.Number}
	w := s.of(key, int(head.Size))
	if head.Context >= 0 {
		w.context = head.Context
	}
	if s.come(key, w, int(head.Rank), mirror) {
		j.abroad.complete(w)
	}
}

// joinApart does what join does for ranks in several processes. The window is complete when all
// ranks have called.
func (j *Job) joinApart(key meeting, by *comm) *window {
	context := int32(-1)
	if by.rank == 0 {
		context = j.abroad.world.NewContexts(key.opens(), by.ranks)
	}
	s := &j.windows
	s.Lock()
	w := s.of(key, by.Size())
	if context >= 0 {
		w.context = context
	}
	if s.come(key, w, by.Rank(), uintptr(unsafe.Pointer(by.call.Send))) {
		j.abroad.complete(w)
	}
	s.Unlock()
	j.sendWindow(key, by, context)
	return w
}

// complete makes a window known by its context.
func (a *abroad) complete(w *window) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.mirrors[w.context] = w
}

// sendAttached makes other processes know what a rank has attached to a dynamic window.
func (p *program) sendAttached() {
	c := p.rank.Call
	var list []byte
	if c.SendSize > 0 {
		list = unsafe.Slice(c.Send, c.SendSize)
	}
	head := attachedHead{c.Context, c.Rank}
	p.block.job.abroad.kinds.attached.Send(cluster.Everyone, true, head, list)
}

// attachedHead says where memory has been attached.
type attachedHead struct {
	Context int32 // of the window
	Rank    int32
}

func (j *Job) receiveAttached(_ int, head attachedHead, list []byte) {
	a := j.abroad
	a.mutex.Lock()
	w := a.mirrors[head.Context]
	a.mutex.Unlock()
	if w != nil {
		host.MirrorAttached(w.pointers[head.Rank], list)
	}
}

// --- Operations that combine data ---

// Kinds of descriptions of combinations, the first byte of each.
const (
	basicCombination uint8 = iota
	layoutCombination
	swapCombination
)

// Description implements node.Described.
func (k accumulation) Description() []byte {
	d := binary.LittleEndian.AppendUint32([]byte{basicCombination}, uint32(k.op))
	return binary.LittleEndian.AppendUint32(d, uint32(k.kind))
}

// Description implements node.Described.
func (swap) Description() []byte { return []byte{swapCombination} }

// layout is the key of an operation on memory with gaps where several processes share the run: the
// operation, and the datatype as it is in memory.
type layout string

// Description implements node.Described.
func (k layout) Description() []byte { return append([]byte{layoutCombination}, k...) }

// Combination implements node.Common.
func (c common) Combination(d []byte) (combine func(memory, data []byte), gather func(data, memory []byte)) {
	switch d[0] {
	case swapCombination:
		return swapIfEqual, nil
	case basicCombination:
		op, kind := int32(binary.LittleEndian.Uint32(d[1:])), int32(binary.LittleEndian.Uint32(d[5:]))
		return func(memory, data []byte) { host.CombineBasic(op, kind, data, memory) }, nil
	}
	op, gaps := int32(binary.LittleEndian.Uint32(d[1:])), host.CopiedLayout(d[5:])
	return func(memory, data []byte) { host.ScatterData(op, gaps, data, memory) },
		func(data, memory []byte) { host.GatherData(gaps, data, memory) }
}

// scatterApart does what scatter does where several processes share the run.
func (p *program) scatterApart(o *host.Op) int64 {
	key := layout(binary.LittleEndian.AppendUint32(nil, uint32(o.Op))) + layout(host.LayoutBytes(o.Layout))
	world := p.ops.World()
	if n := world.Combination(key); n != 0 {
		return n
	}
	combine, gather := common{p.block.job}.Combination(key.Description())
	return world.Scatter(key,
		func(data, memory []byte) { combine(memory, data) },
		func(data, memory []byte) { gather(data, memory) })
}

// --- What comes of a run ---

// Last implements node.Common.
func (c common) Last() {
	j := c.job
	if j.abroad == nil {
		return
	}
	j.sendOutput()
	j.agreement.mutex.Lock()
	defer j.agreement.mutex.Unlock()
	for _, t := range j.agreement.open {
		j.sendTypes(t)
	}
}

// findings is what a process has found out about the ranks that it runs.
type findings struct {
	Exits      [3]int // exits
	Pending    [3]int // leaks
	Unfinished [2]int // group
	Types      []host.Mismatch
	Open       [][]byte // attendances that are not complete, or differ
}

// Settle implements node.Common.
func (c common) Settle(g cluster.Group) {
	j := c.job
	if j.abroad == nil {
		return
	}
	own := findings{
		[3]int{j.exits.rank, j.exits.code, j.exits.count},
		[3]int{j.pending.requests, j.pending.ranks, j.pending.first},
		[2]int{j.unfinished.ranks, j.unfinished.first},
		j.ownMismatches(), j.agreement.written(),
	}
	for p, of := range cluster.GatherValues(g, own) {
		if p != g.Rank() {
			j.add(p, &of)
		}
	}
}

// add adds what another process has found out.
func (j *Job) add(process int, of *findings) {
	if e := of.Exits; e[2] > 0 {
		if j.exits.count == 0 || e[0] < j.exits.rank {
			j.exits.rank, j.exits.code = e[0], e[1]
		}
		j.exits.count += e[2]
	}
	if l := of.Pending; l[1] > 0 {
		if j.pending.ranks == 0 || l[2] < j.pending.first {
			j.pending.first = l[2]
		}
		j.pending.requests, j.pending.ranks = j.pending.requests+l[0], j.pending.ranks+l[1]
	}
	if u := of.Unfinished; u[0] > 0 {
		if j.unfinished.ranks == 0 || u[1] < j.unfinished.first {
			j.unfinished.first = u[1]
		}
		j.unfinished.ranks += u[0]
	}
	j.elsewhere = append(j.elsewhere, of.Types...)
	for _, open := range of.Open {
		j.receiveAttendance(process, open)
	}
}

// joined puts mismatches of one place together that several processes have found.
func joined(found []host.Mismatch) (list []host.Mismatch) {
	for _, m := range found {
		i := slices.IndexFunc(list, func(x host.Mismatch) bool { return x.Key == m.Key })
		if i < 0 {
			list = append(list, m)
			continue
		}
		times := list[i].Times + m.Times
		if m.Rank < list[i].Rank {
			list[i] = m
		}
		list[i].Times = times
	}
	return list
}
