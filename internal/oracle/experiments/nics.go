package experiments

import "fabricast/internal/units"

// nics adds random options that concern only NICs. Its random numbers are separate, so that the
// rest of the experiment does not depend on it.
func (d drawer) nics(e *Experiment) {
	if d.chance(40) {
		d.gaps(e)
	}
	if d.chance(35) {
		d.bus(e)
	}
	e.Turns = d.chance(35)
	e.Control = !e.Turns && d.chance(35)
	if d.chance(20) {
		e.Gap = int64(pick(d, 1, 333, 500, 1000, d.between(1, 5000)))
	}
}

// bus makes the NICs of a host share an I/O bus, which may be slower than one NIC.
func (d drawer) bus(e *Experiment) {
	dma := units.Rate(e.DMA)
	e.IOBus.Bandwidth = pick(
		d, dma, e.HostLink.Bandwidth, 2*dma, dma*units.Rate(e.NICs)*3/4, dma/2+1, d.rate(),
	)
	e.IOBus.Latency = d.delay()
	if d.chance(20) {
		e.IOBus.Latency = 0
	}
}

// gaps gives some messages pauses between their packets.
func (d drawer) gaps(e *Experiment) {
	paced := pick(d, 20, 50, 100)
	for i := range e.Messages {
		if d.chance(paced) {
			e.Messages[i].Gap = int64(pick(d, 1, 1, 2, 3, d.between(4, 40)))
		}
	}
}
