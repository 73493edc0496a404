package experiments

// nics adds to an experiment what only some NICs have to do, each thing or not. It has
// random numbers of its own, so that what else is drawn does not depend on it.
func (d drawer) nics(e *Experiment) {
	if d.chance(40) {
		d.gaps(e)
	}
	if d.chance(35) {
		d.bus(e)
	}
}

// bus lets the NICs of a host share a bus, which may be slower than one of them.
func (d drawer) bus(e *Experiment) {
	e.IOBus.Bandwidth = pick(d, e.DMA, e.HostLink.Bandwidth, 2*e.DMA, e.DMA*int64(e.NICs)*3/4, e.DMA/2+1, d.rate())
	e.IOBus.Latency = d.delay()
	if d.chance(20) {
		e.IOBus.Latency = 0
	}
}

// gaps lets a part of the messages be paced.
func (d drawer) gaps(e *Experiment) {
	paced := pick(d, 20, 50, 100)
	for i := range e.Messages {
		if d.chance(paced) {
			e.Messages[i].Gap = int64(pick(d, 1, 1, 2, 3, d.between(4, 40)))
		}
	}
}
