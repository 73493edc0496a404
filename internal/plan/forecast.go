package plan

import (
	"cmp"
	"fmt"
	"runtime"
	"unsafe"

	"fabricast/abstract"
	"fabricast/collective"
	"fabricast/engine/timewarp"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/failure"
	"fabricast/internal/machine"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/workload"
)

// Memory of parts of a run, in bytes, rounded up, and typical numbers of messages in flight.
const (
	// coroutineMemory is the memory of a rank that runs as a coroutine: a stack of 2 KiB and the
	// node's records of the rank (measured with a million ranks).
	coroutineMemory = 3584
	// replayedMemory is the memory of a rank without a stack of its own and with a dozen requests.
	replayedMemory = 768
	// fewOpen is the number of messages that a rank has in flight if its program posts few at once.
	// fewPartners is the number of ranks to which such a rank sends.
	fewOpen, fewPartners = 12, 32
	// jobHostMemory is the memory that a job of MPI ranks takes for each host of the network;
	// trafficHostMemory is that of a job of synthetic traffic.
	jobHostMemory, trafficHostMemory = 24, 64
	// processMemory is the resident memory of a process before it loads an experiment: code, Go's
	// runtime, and the checks before a run (measured with small networks).
	processMemory = 29 * units.MiB
	// hostMemory is the least memory that the network takes for each host.
	hostMemory = 1024
)

// Forecast estimates the memory of a run, in bytes. It assumes that all buffers of the network are
// full of packets of the largest size, and that a built-in program has as many messages in flight
// as it can have. How many messages a user's own program posts is unknown: such a program needs
// more memory if it posts very many or very small messages at once. Buffers take memory only as
// they fill, so a run may need little more than Least.
type Forecast struct {
	Network units.Bytes `json:"network_bytes"`
	Ranks   units.Bytes `json:"ranks_bytes"`
	Total   units.Bytes `json:"total_bytes"`
	Least   units.Bytes `json:"least_bytes"` // with empty buffers and no early messages
	// Expected estimates the process's peak memory: buffers hold what the program or the traffic
	// has in flight. It is at most Total. It may be less than Least, which counts all messages of a
	// window as in flight.
	Expected units.Bytes `json:"expected_bytes"`
	// Whole is the part of Least that every process needs, however many processes share the run.
	// Tables lists its components.
	Whole  units.Bytes `json:"whole_bytes"`
	Tables Tables      `json:"whole"`
	// Saves is the part of Total for the states that the optimistic modes of the engine save, if
	// they save as many as permitted, and for the records that ranks of replayed traces store.
	Saves units.Bytes `json:"saved_states_bytes,omitempty"`
}

// saving adds the memory of the saved states of a run in an optimistic mode. Each part of the
// network also saves its copies of messages from all other parts.
func (f Forecast) saving(e *experiment.Resolved) Forecast {
	parts := units.Bytes(cmp.Or(e.Engine.KP, e.Engine.Workers, runtime.GOMAXPROCS(0)))
	copies, tapes := units.Bytes(0), units.Bytes(0)
	for _, one := range append(jobsOf(e), e) {
		if one.HasTraffic() || one.HasJobs() {
			continue
		}
		ranks := units.Bytes(one.Ranks)
		copies += ranks * units.Bytes(max(fewOpen, mostOpen(one))) * messageCopy
		if one.Launch != nil { // Build refuses programs that are not traces
			tapes += ranks * units.Bytes(replay.ForecastTape())
		}
	}
	f.Saves = timewarp.MostStates*(f.Total-f.Whole+(parts-1)*copies) + tapes
	f.Total += f.Saves
	f.Expected += f.Saves / timewarp.MostStates
	return f
}

// messageCopy is the memory (bytes) of the copy of a message in the partition block of its
// receiver.
const messageCopy = units.Bytes(unsafe.Sizeof(fabric.Message{}) + unsafe.Sizeof(fabric.Extra{}))

// WithoutSaves returns the forecast of the same run without saved states, as when nothing can be
// rolled back.
func (f Forecast) WithoutSaves() Forecast {
	f.Total, f.Expected = f.Total-f.Saves, f.Expected-f.Saves/timewarp.MostStates
	f.Saves = 0
	return f
}

// Tables is the memory, in bytes, that every process of a run needs, whatever its share: for the
// process itself, and for the tables of the whole network and of all ranks.
type Tables struct {
	Process units.Bytes `json:"process_bytes"` // the program and its runtime
	Graph   units.Bytes `json:"graph_bytes"`   // routers, ports and links
	Routers units.Bytes `json:"routers_bytes"` // the indices of routers, and where their ports lead
	Routing units.Bytes `json:"routing_bytes"` // tables of the routing algorithm, if any
	Ranks   units.Bytes `json:"ranks_bytes"`   // the hosts of the ranks
}

func (t *Tables) sum() units.Bytes { return t.Process + t.Graph + t.Routers + t.Routing + t.Ranks }

// Each returns the forecast of one process if the given number of processes share the run.
func (f Forecast) Each(processes int) Forecast {
	part := func(of units.Bytes) units.Bytes { return of / units.Bytes(processes) }
	places := f.Tables.Ranks
	described := f.Whole - places - f.Tables.Process
	f.Network, f.Ranks = described+part(f.Network-described), places+part(f.Ranks-places)
	f.Total, f.Least = f.Whole+part(f.Total-f.Whole), f.Whole+part(f.Least-f.Whole)
	f.Expected = f.Whole + part(f.Expected-f.Whole)
	f.Saves = part(f.Saves)
	return f
}

// Processes returns the smallest number of processes of which each needs at most the given memory
// with all buffers full; 0 if no number suffices.
func (f Forecast) Processes(memory units.Bytes) int {
	if memory <= f.Whole {
		return 0
	}
	each := memory - f.Whole
	return int(max(1, (f.Total-f.Whole+each-1)/each))
}

// Forecast estimates the memory of a run of the plan.
func (p *Plan) Forecast() Forecast {
	e := p.Experiment
	s := p.Fabric
	if e.Network.Abstract() {
		return p.abstractForecast()
	}
	tables := Tables{
		Process: processMemory, Graph: graphMemory(s.Graph), Routers: units.Bytes(fabric.ForecastWhole(s)),
		Routing: tableMemory(e, p.Topology),
		Ranks:   units.Bytes(node.ForecastPlaces(s.Graph.Hosts, e.Ranks, e.Ranks > s.Graph.Hosts)),
	}
	described := tables.Graph + tables.Routing
	network, empty := units.Bytes(fabric.Forecast(s))+described, units.Bytes(
		fabric.ForecastEmpty(s),
	)+described
	if b := &e.Record.Bins; b.Interval != "" {
		bins := units.Bytes(fabric.ForecastBins(s, b.Buffers))
		network, empty = network+bins, empty+bins
	}
	spec := node.Spec{Replies: e.Answered(), Overtaking: e.SeveralNICs() || p.Overtaking()}
	f := newForecast(network+smallPackets(e, s), empty, ranksMemory(e))
	f.Least -= pausedMemory(e)
	f.Tables, f.Whole = tables, tables.sum()
	spec.Peers = e.Node.Protocol.Peers
	late := lateMemory(e, &spec) + units.Bytes(node.ForecastPeers(&spec, e.Ranks))
	for _, one := range jobsOf(e) {
		spec.Replies = one.Answered()
		late += lateMemory(one, &spec) + units.Bytes(node.ForecastPeers(&spec, one.Ranks))
	}
	f.Ranks, f.Total = f.Ranks+late, f.Total+late
	cells := cellsMemory(e, s.Graph.Routers)
	f.Ranks, f.Total, f.Least = f.Ranks+cells, f.Total+cells, f.Least+cells
	f.Expected = min(f.Total, processMemory+empty+units.Bytes(fabric.ForecastHuge(s))+cells+
		p.expectedLoad(network-empty, &spec))
	if e.Engine.Optimistic() {
		return f.saving(e)
	}
	return f
}

// RoughForecast estimates, before the network is laid out, the least memory that a network with the
// experiment's number of hosts and its ranks need.
func RoughForecast(e *experiment.Resolved) Forecast {
	network := units.Bytes(e.Hosts()) * hostMemory
	if e.Network.Abstract() {
		network = units.Bytes(abstract.Forecast(e.Hosts(), e.Node.NICs))
	}
	f := newForecast(network, network, ranksMemory(e))
	f.Least -= pausedMemory(e)
	return f
}

func newForecast(network, empty, ranks units.Bytes) Forecast {
	f := Forecast{
		Network: network, Ranks: ranks, Total: processMemory + network + ranks,
		Least: processMemory + empty + ranks, Tables: Tables{Process: processMemory},
	}
	f.Whole = f.Tables.sum()
	f.Expected = f.Total
	return f
}

// ranksMemory estimates the memory of all ranks, in bytes. Ranks count as coroutines if MOD pacing
// computes its gaps from their communication steps: they then run as coroutines before the
// simulation.
func ranksMemory(e *experiment.Resolved) units.Bytes {
	if !e.HasJobs() {
		return stacksMemory(e) + pairsMemory(e)
	}
	sum := units.Bytes(0)
	for _, one := range jobsOf(e) {
		if one.HasTraffic() {
			sum += units.Bytes(e.Hosts()) * trafficHostMemory
			continue
		}
		// every job has a table of all hosts
		sum += stacksMemory(one) + pairsMemory(one) + units.Bytes(e.Hosts())*jobHostMemory
	}
	return sum
}

// pairsMemory estimates the memory (bytes) of the messages that the ranks of a built-in program
// have in flight. It is 0 if ranks post few messages at once.
func pairsMemory(e *experiment.Resolved) units.Bytes {
	open := mostOpen(e)
	if open == 0 {
		return 0
	}
	message := node.ForecastMessage(&node.Spec{Replies: e.Answered()})
	return units.Bytes(e.Ranks) * units.Bytes(open) * units.Bytes(message)
}

// pausedMemory returns how much of pairsMemory (bytes) ranks may not need because they pause
// between the messages of a window. They pause only if sending costs them CPU time.
func pausedMemory(e *experiment.Resolved) units.Bytes {
	if e.HasJobs() || e.Workload.Window == 0 || e.Node.Overhead == 0 {
		return 0
	}
	return units.Bytes(e.Ranks) * units.Bytes(node.ForecastPaused(mostOpen(e)))
}

// mostOpen returns the largest number of messages that a rank has posted and not completed at the same time. It returns 0
// if this number is unknown, or too small to matter for the memory.
func mostOpen(e *experiment.Resolved) int {
	w := &e.Workload
	switch {
	case e.OwnProgram():
		return 0
	case w.Window > 0:
		return min(w.Window, w.Messages)
	case w.Program == string(collective.KindAlltoall) && w.Algorithm == string(collective.SimpleSpread):
		return e.Ranks
	}
	return 0
}

// lateMemory estimates the additional memory (bytes) for messages of a built-in program that are
// received before their receive is posted, or before an earlier message from the same sender.
func lateMemory(e *experiment.Resolved, s *node.Spec) units.Bytes {
	if e.OwnProgram() || e.HasTraffic() || e.HasJobs() {
		return 0
	}
	partners := fewPartners
	switch w := &e.Workload; {
	case w.Window > 0:
		partners = w.Messages
	case w.Program == string(collective.KindAlltoall):
		partners = e.Ranks
	}
	open := units.Bytes(max(fewOpen, mostOpen(e)))
	pairs := units.Bytes(min(partners, e.Ranks)) * units.Bytes(node.ForecastPair(s))
	return units.Bytes(e.Ranks) * (open*units.Bytes(node.ForecastLate(s)) + pairs)
}

// smallPackets estimates the additional memory (bytes) of the network if the messages of a built-in
// program are smaller than the largest packet, so that more packets fit in the buffers. The total
// number of such messages limits it.
func smallPackets(e *experiment.Resolved, s fabric.Spec) units.Bytes {
	most := units.Bytes(0)
	for _, one := range jobsOf(e) {
		most += smallPackets(one, s)
	}
	if e.OwnProgram() || e.HasTraffic() || e.HasJobs() {
		return most
	}
	size := int64(e.Workload.Size)
	messages := int64(e.Ranks) * int64(max(fewOpen, mostOpen(e)))
	return units.Bytes(fabric.ForecastSmall(s, size, messages))
}

// CellsEach is the largest number of cells for each worker. A cell is a group of routers that moves
// between workers as a unit. Smaller cells balance the load better, but each takes memory for its
// ranks.
const CellsEach = 32

// cellsMemory estimates the additional memory (bytes) of a run in which routers move between workers.
func cellsMemory(e *experiment.Resolved, routers int) units.Bytes {
	workers := cmp.Or(e.Engine.Workers, runtime.GOMAXPROCS(0))
	if !e.Engine.Balances() || workers == 1 {
		return 0
	}
	return units.Bytes(min(CellsEach*workers, routers)) * units.Bytes(node.ForecastCell())
}

// stacksMemory estimates the memory (bytes) of all ranks if they have few messages in flight. Ranks
// that are replayed without a stack need less than coroutines.
func stacksMemory(e *experiment.Resolved) units.Bytes {
	if !e.OwnProgram() && e.Workload.Program != "" && !e.Workload.Pacing.Derived() {
		if !workload.Find(e.Workload.Program).Loops() {
			return units.Bytes(e.Ranks) * replayedMemory
		}
		if loop, err := loop(e, &mpi.Pacing{Every: e.Workload.Pacing.Every()}); err == nil &&
			loop.Replayed(e.Ranks) {
			return units.Bytes(e.Ranks) * replayedMemory
		}
	}
	return units.Bytes(e.Ranks) * coroutineMemory
}

// graphMemory returns the size of the network's graph, in bytes.
func graphMemory(g *topology.Graph) units.Bytes {
	ports := units.Bytes(len(g.Ports)) * units.Bytes(unsafe.Sizeof(topology.Port{}))
	return ports + 4*units.Bytes(len(g.PortBase)+len(g.NICPort))
}

// tableMemory estimates the size (bytes) of routing tables with an entry for each pair of routers.
// It is 0 for algorithms without such tables.
func tableMemory(e *experiment.Resolved, t topology.Topology) units.Bytes {
	return units.Bytes(e.Network.RoutingMemory(t))
}

// roomForTables returns a *failure.MemoryError if the run cannot fit in this machine's memory with
// routing tables of a size.
func roomForTables(e *experiment.Resolved, size units.Bytes) error {
	rough := RoughForecast(e)
	return newForecast(rough.Network+size, rough.Network+size, rough.Ranks).Check()
}

// Check returns a *failure.MemoryError if the run cannot fit in this machine's memory, even with
// empty buffers.
func (f Forecast) Check() error {
	if have := units.Bytes(machine.Memory()); have > 0 && f.Least > have {
		return &failure.MemoryError{Need: f.Least, Have: have}
	}
	return nil
}

// Warning returns a warning if the run would exceed this machine's memory with all buffers full; ""
// if it would not.
func (f Forecast) Warning() string {
	have := units.Bytes(machine.Memory())
	if have == 0 || f.Total <= have {
		return ""
	}
	return fmt.Sprintf(
		"with all buffers full the run needs about %s, but this machine has %s available",
		failure.Gibibytes(f.Total), failure.Gibibytes(have),
	)
}
