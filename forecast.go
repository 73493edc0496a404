package fabricast

import (
	"fmt"
	"unsafe"

	"fabricast/fabric"
	"fabricast/internal/machine"
	"fabricast/mpi"
	"fabricast/topology"
)

// What things take in memory, in bytes, rounded up.
const (
	// coroutineMemory is a coroutine with a stack of 2 KiB and the node's records of
	// it (measured with a million ranks).
	coroutineMemory = 3584
	// replayedMemory is a rank without one, with a dozen requests.
	replayedMemory = 768
	// hostMemory is the least that a host's part of the network takes.
	hostMemory = 1024
)

// Forecast is how much memory a run will need, with all buffers of the network
// full of the largest packets and a message at every NIC; a program that posts
// very many messages at once, or very small ones, needs more.
type Forecast struct {
	Network Bytes `json:"network_bytes"`
	Ranks   Bytes `json:"ranks_bytes"`
	Total   Bytes `json:"total_bytes"`
}

// forecast is for a network that has been laid out.
func (e *Experiment) forecast(s fabric.Spec) Forecast {
	network := Bytes(fabric.Forecast(s)) + graphMemory(s.Graph)
	if b := &e.Record.Bins; b.Interval != "" {
		network += Bytes(fabric.ForecastBins(s, b.Buffers))
	}
	return newForecast(network, e.ranksMemory())
}

// roughForecast is the least that any network of so many hosts needs.
func (e *Experiment) roughForecast() Forecast {
	return newForecast(Bytes(e.hosts())*hostMemory, e.ranksMemory())
}

func newForecast(network, ranks Bytes) Forecast {
	return Forecast{Network: network, Ranks: ranks, Total: network + ranks}
}

// ranksMemory is what the ranks take. To find MOD's gaps, all go through their steps as
// coroutines before the simulation.
func (e *Experiment) ranksMemory() Bytes {
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

// check refuses a run that cannot fit in this machine's memory.
func (f Forecast) check() error {
	if have := Bytes(machine.Memory()); have > 0 && f.Total > have {
		return &MemoryError{Need: f.Total, Have: have}
	}
	return nil
}

// MemoryError says that a run was refused because it would not fit in memory.
type MemoryError struct{ Need, Have Bytes }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("the run needs about %.1f GiB of memory, but this machine has %.1f GiB available",
		float64(e.Need)/float64(GiB), float64(e.Have)/float64(GiB))
}
