package fabricast

import (
	"fmt"
	"unsafe"

	"fabricast/internal/machine"
	"fabricast/topology"
)

// rankMemory is what a rank takes, in bytes: a coroutine with a stack of 2 KiB
// and the node's records of it (measured with a million ranks).
const rankMemory = 3584

// Forecast is how much memory a run will need, without messages under way.
type Forecast struct {
	Network Bytes `json:"network_bytes"`
	Ranks   Bytes `json:"ranks_bytes"`
	Total   Bytes `json:"total_bytes"`
}

func (e *Experiment) forecast(p *plan) Forecast {
	f := Forecast{
		Network: graphMemory(p.fabric.Graph),
		Ranks:   Bytes(len(p.hosts)) * rankMemory,
	}
	f.Total = f.Network + f.Ranks
	return f
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
