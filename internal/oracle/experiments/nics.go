package experiments

// nics adds to an experiment what only some NICs have to do, each thing or not. It has
// random numbers of its own, so that what else is drawn does not depend on it.
func (d drawer) nics(e *Experiment) {
	if d.chance(40) {
		d.gaps(e)
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
