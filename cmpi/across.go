package cmpi

import (
	"sync"
	"unsafe"

	"fabricast/cmpi/internal/agreement"
	"fabricast/cmpi/internal/combination"
	"fabricast/cmpi/internal/datatypes"
	"fabricast/cmpi/internal/findings"
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
	numbers  *datatypes.Numbers
	mirrors  map[int32]*window // by context: windows in which all ranks take part
}

// Begin implements node.Common.
func (c common) Begin(w *node.World) {
	c.job.host.Saved(w.Saved())
	if !w.MayPart() {
		return
	}
	a := &abroad{
		world: w, earliest: host.Earliest(), ranks: make(map[int32][]int32), here: make(map[int32]int32),
		numbers: datatypes.NewNumbers(w.Processes()), mirrors: make(map[int32]*window),
	}
	c.job.abroad = a
	c.job.agreement.Share(a)
	a.kinds = c.job.register(w.Control())
	c.job.host.Apart()
}

// controlKinds are the control messages of a job.
type controlKinds struct {
	output    cluster.Kind[struct{}, byte]
	signature cluster.Kind[int32, int64] // number of a signature, and its words
	window    cluster.Kind[windowHead, byte]
	attached  cluster.Kind[attachedHead, byte]
	called    cluster.Kind[struct{}, byte]
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
		signature: cluster.Register(c, j.abroad.numbers.Receive),
		window:    cluster.Register(c, j.receiveWindow),
		attached:  cluster.Register(c, j.receiveAttached),
		called:    cluster.Register(c, func(p int, _ struct{}, called []byte) { j.agreement.Receive(p, called) }),
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

// Mark implements node.Common.
func (c common) Mark(process int, mark uint64) uint64 {
	return c.job.abroad.numbers.Mark(process, mark)
}

// Combination implements node.Common.
func (c common) Combination(d []byte) (combine func(memory, data []byte), gather func(data, memory []byte)) {
	return combination.Of(d)
}

// announceMark makes other processes know the datatype of a mark that is about to be sent there.
func (j *Job) announceMark(mark uint64) {
	if j.abroad != nil {
		j.abroad.Announce(datatypes.Of(mark))
	}
}

// --- The calls of collectives ---

var _ agreement.Others = (*abroad)(nil)

// Announce implements agreement.Others.
func (a *abroad) Announce(number int32) {
	if a.numbers.New(number) {
		a.kinds.signature.Send(cluster.Everyone, true, number, host.Signature(number))
	}
}

// Signature implements agreement.Others.
func (a *abroad) Signature(process int, s datatypes.Signature) datatypes.Signature {
	return a.numbers.Signature(process, s)
}

// Keeper implements agreement.Others.
func (a *abroad) Keeper(context int32) (process int, own bool) {
	number, _ := a.world.Communicator(context)
	process = number % a.world.Processes()
	return process, process == a.world.Process()
}

// Send implements agreement.Others.
func (a *abroad) Send(keeper int, called []byte) {
	a.kinds.called.Send(keeper, false, struct{}{}, called)
}

// Here implements agreement.Others. A null list of ranks stands for all.
func (a *abroad) Here(c *host.Call) int32 {
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

// --- Communicators ---

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

// --- What comes of a run ---

// Last implements node.Common.
func (c common) Last() {
	j := c.job
	if j.abroad == nil {
		return
	}
	j.sendOutput()
	j.agreement.Announce()
}

// settled is what a process sends to the others at the end of a run.
type settled struct {
	Findings findings.Findings
	Open     [][]byte // what ranks have called, as agreement.Agreement.Open returns it
}

// Settle implements node.Common.
func (c common) Settle(g cluster.Group) {
	j := c.job
	if j.abroad == nil {
		return
	}
	own := settled{j.found, j.agreement.Open()}
	own.Findings.Mismatches = j.ownMismatches()
	for p, of := range cluster.GatherValues(g, own) {
		if p == g.Rank() {
			continue
		}
		j.found.Add(&of.Findings)
		for _, called := range of.Open {
			j.agreement.Receive(p, called)
		}
	}
}
