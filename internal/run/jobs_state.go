package run

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// Saveable implements population.
func (j *jobs) Saveable() error {
	for _, one := range j.list {
		if one.world == nil {
			continue
		}
		if err := one.world.Saveable(); err != nil {
			return &jobError{one.Name, err}
		}
	}
	return nil
}

// State implements fabric.Stateful.
func (e *jobsEndpoint) State(v *snapshot.Visitor) {
	snapshot.Values(v, e.counts)
	snapshot.Values(v, e.timed)
	for _, job := range e.jobs {
		job.(fabric.Stateful).State(v)
	}
}

// StateOfObservation implements fabric.Observed.
func (e *jobsEndpoint) StateOfObservation(v *snapshot.Visitor) {
	for _, job := range e.jobs {
		if o, ok := job.(fabric.Observed); ok {
			o.StateOfObservation(v)
		}
	}
}

// stateOfShot goes over what links had carried when traffic without an end of its own ended, if it has.
func (s *simulation) stateOfShot(v *snapshot.Visitor) {
	if !v.Flag(s.shot != nil) {
		s.shot = nil
		return
	}
	if s.shot == nil {
		s.shot = &shot{}
	}
	snapshot.Value(v, &s.shot.at)
	snapshot.List(v, &s.shot.ports)
	snapshot.List(v, &s.shot.nics)
}

// state goes over how far a run beside traffic without an end of its own has got.
func (b *beside) state(v *snapshot.Visitor) {
	b.steps.State(v)
	snapshot.Value(v, &b.now)
	snapshot.Value(v, &b.pause)
}
