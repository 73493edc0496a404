package fabricast

import (
	"fmt"
	"unsafe"

	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/internal/machine"
	"fabricast/mpi"
	"fabricast/routing"
	"fabricast/topology"
)

// What things take in memory, in bytes, rounded up.
const (
	// coroutineMemory is a coroutine with a stack of 2 KiB and the node's records of
	// it (measured with a million ranks).
	coroutineMemory = 3584
	// replayedMemory is a rank without one, with a dozen requests.
	replayedMemory = 768
	// pairMemory is a message of a rank and the receive for it, where all are posted at once (measured with 1,024 to 4,096 ranks).
	pairMemory = 160
	// hostMemory is the least that a host's part of the network takes.
	hostMemory = 1024
)

// Forecast is how much memory a run will need, with all buffers of the network
// full of the largest packets and a message at every NIC; a program of its own that posts
// very many messages at once, or very small ones, needs more. Buffers take memory as they fill,
// so a run may get by with little more than the least.
type Forecast struct {
	Network Bytes `json:"network_bytes"`
	Ranks   Bytes `json:"ranks_bytes"`
	Total   Bytes `json:"total_bytes"`
	Least   Bytes `json:"least_bytes"` // with empty buffers
}

// forecast is for a network that has been laid out, with its routing.
func (e *Experiment) forecast(p *plan) Forecast {
	s := p.fabric
	described := graphMemory(s.Graph) + e.tableMemory(p.topology)
	network, empty := Bytes(fabric.Forecast(s))+described, Bytes(fabric.ForecastEmpty(s))+described
	if b := &e.Record.Bins; b.Interval != "" {
		bins := Bytes(fabric.ForecastBins(s, b.Buffers))
		network, empty = network+bins, empty+bins
	}
	return newForecast(network, empty, e.ranksMemory())
}

// roughForecast is the least that any network of so many hosts needs.
func (e *Experiment) roughForecast() Forecast {
	network := Bytes(e.hosts()) * hostMemory
	return newForecast(network, network, e.ranksMemory())
}

func newForecast(network, empty, ranks Bytes) Forecast {
	return Forecast{Network: network, Ranks: ranks, Total: network + ranks, Least: empty + ranks}
}

// ranksMemory is what the ranks take. To find MOD's gaps, all go through their steps as
// coroutines before the simulation.
func (e *Experiment) ranksMemory() Bytes {
	return e.stacksMemory() + e.pairsMemory()
}

// pairsMemory is what a program by name takes that posts all of its messages at once.
func (e *Experiment) pairsMemory() Bytes {
	if w := &e.Workload; e.ownProgram() || w.Program != string(collective.KindAlltoall) || w.Algorithm != string(collective.SimpleSpread) {
		return 0
	}
	return Bytes(e.Ranks) * Bytes(e.Ranks) * pairMemory
}

// stacksMemory is what ranks take that have little open.
func (e *Experiment) stacksMemory() Bytes {
	if !e.ownProgram() && e.Workload.Program != "" && e.Workload.Pacing.Gap != PacingMOD {
		if loop, err := e.loop(&mpi.Pacing{Every: e.Workload.Pacing.every()}); err == nil && loop.Replayed(e.Ranks) {
			return Bytes(e.Ranks) * replayedMemory
		}
	}
	return Bytes(e.Ranks) * coroutineMemory
}

// graphMemory is what the description of the network takes.
func graphMemory(g *topology.Graph) Bytes {
	return Bytes(len(g.Ports))*Bytes(unsafe.Sizeof(topology.Port{})) + 4*Bytes(len(g.PortBase)+len(g.NICPort))
}

// tableMemory is what tables of the routing algorithm take that have an entry for each pair of routers.
func (e *Experiment) tableMemory(t topology.Topology) Bytes {
	r, routers := &e.Network.Routing, t.Graph().Routers
	name := r.Algorithm
	if name == RoutingSource {
		name = r.Of
	}
	switch name {
	case RoutingShortest:
		return Bytes(routing.ShortestMemory(routers))
	case RoutingUpDown:
		return Bytes(routing.UpDownMemory(routers))
	case RoutingMinimal, RoutingValiant, RoutingUGALL, RoutingUGALG:
		return Bytes(routing.MinimalMemory(t))
	}
	return 0
}

// check refuses a run that cannot fit in this machine's memory, even with empty buffers.
func (f Forecast) check() error {
	if have := Bytes(machine.Memory()); have > 0 && f.Least > have {
		return &MemoryError{Need: f.Least, Have: have}
	}
	return nil
}

// warning tells of a run that fits only as long as its buffers are not full; "" if there is nothing to tell.
func (f Forecast) warning() string {
	have := Bytes(machine.Memory())
	if have == 0 || f.Total <= have {
		return ""
	}
	return fmt.Sprintf("with all buffers full the run needs about %s, but this machine has %s available", gibibytes(f.Total), gibibytes(have))
}

func gibibytes(b Bytes) string { return fmt.Sprintf("%.1f GiB", float64(b)/float64(GiB)) }

// MemoryError says that a run was refused because it would not fit in memory.
type MemoryError struct{ Need, Have Bytes }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("the run needs about %s of memory, but this machine has %s available", gibibytes(e.Need), gibibytes(e.Have))
}
