package run

import (
	"math"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/node"
)

// population is what runs on the hosts of a network: the ranks of one program, a *node.World, or
// those of several jobs and their traffic, *jobs.
type population interface {
	Ranks() int
	Finished() int  // ranks whose program has ended
	Arrived() int64 // messages
	// Latest is the latest clock of the ranks of this process.
	Latest() units.Time
	Failed() bool
	ForgetFailure(since int64) // see node.World.ForgetFailure
	Saveable() error           // why the state cannot be saved; nil if it can
	// Journal makes programs with stacks keep journals, see node.World.Journal. FlushJournal hands
	// over the rest of them; all processes call it before they save.
	Journal(
		first int, flush func(stream int, records []byte), read func(stream int) func() ([]byte, error),
	)
	FlushJournal()
	// State goes over what belongs to the journals.
	State(v *snapshot.Visitor)
	Err() error
	Cancel()
	Close()
	// Deadlock explains why ranks cannot go on: its error unwraps to a *node.DeadlockError.
	Deadlock() error
	Stats() *node.Stats
	Record(rank int) node.RankRecord
	Trace(t node.Tracer, spans, messages bool)
	Waiting(block int) int64 // see node.World.Waiting
}

// advance drives the blocks until nothing is left to do.
func (s *simulation) advance() (windows uint64, err error) {
	if s.jobs != nil && s.jobs.endless() {
		return s.advanceBeside()
	}
	if s.lookEnd > 0 {
		return s.advanceTo(s.lookEnd)
	}
	if s.team != nil {
		return s.advanceInTeam()
	}
	for {
		more, err := engine.Run(
			s.blocks, min(s.workers, engine.Workers(len(s.blocks))), &s.stop,
			engine.Across(s.network.others()), engine.After(s.windows+windows),
			engine.Balanced(s.network.balancer),
		)
		windows += more
		if err != nil {
			return windows, err
		}
		if goesOn, err := s.paused(s.windows + windows); !goesOn {
			return windows, err
		}
	}
}

// paused is called when the engine has stopped after so many windows. It leaves a checkpoint if one
// is wanted, and reports whether the run then goes on.
func (s *simulation) paused(windows uint64) (goesOn bool, err error) {
	wants, last := s.saver.asks(&s.halted, s.world.Failed())
	if !wants {
		return false, nil
	}
	err = s.saver.save(s.reached(windows), s.parts(), last)
	if err != nil || last {
		return false, err
	}
	s.saver.goOn(&s.stop, &s.halted)
	return true, nil
}

// advanceInTeam is advance in an optimistic mode.
func (s *simulation) advanceInTeam() (windows uint64, err error) {
	drive, err := s.joinTeam()
	if err != nil {
		return 0, err
	}
	for {
		more, _, err := drive(math.MaxInt64, &s.stop)
		windows += more
		if err != nil {
			return windows, err
		}
		if goesOn, err := s.paused(s.windows + windows); !goesOn {
			return windows, err
		}
	}
}

// joinTeam makes the network and its ranks a part of a run in an optimistic mode.
func (s *simulation) joinTeam() (engine.Drive, error) {
	m := teamMember{network: s.network.packets, recorder: s.recorder, group: s.group, stop: &s.stop}
	return s.team.join(s.member, m, func(p *fabric.Part) engine.Part { return &rankPart{p, s.world} })
}

// Pauses of a run with traffic that has no end of its own. They begin with so many ps, a power of
// two, and their length doubles so that it is at most a part of the time that has passed.
const (
	firstPause = 1 << 20
	pauseShare = 64
)

// advanceBeside drives the blocks of a run with traffic that has no end of its own. Every now and
// then, at simulated times that depend on nothing, it looks whether the jobs with ranks have ended,
// or can never. Then the traffic ends, and what is under way arrives.
func (s *simulation) advanceBeside() (windows uint64, err error) {
	b := s.beside
	if s.team != nil {
		drive, err := s.joinTeam()
		if err != nil {
			return 0, err
		}
		b.steps.By(drive)
	}
	begin := b.steps.Windows()
	defer func() { windows = b.steps.Windows() - begin }()
	for s.shot == nil {
		if goesOn, err := s.step(b.now + b.pause); !goesOn {
			return 0, err
		}
		b.now += b.pause
		if s.jobs.over(b.now) || b.steps.Quiet() {
			s.jobs.endTraffic(b.now)
			if n := s.network.across; n != nil {
				n.CollectUse()
			}
			s.shot = s.shoot(units.Time(b.now))
			break
		}
		if b.now%(2*b.pause) == 0 && 2*b.pause <= b.now/pauseShare {
			b.pause *= 2
		}
	}
	_, err = s.step(math.MaxInt64)
	return 0, err
}

// step drives the blocks up to a time (ps), with checkpoints on the way. It returns false if the
// run is stopped before.
func (s *simulation) step(until int64) (reached bool, err error) {
	for {
		limit := until
		if s.lookEnd > 0 {
			limit = min(limit, s.lookEnd)
		}
		if err := s.beside.steps.Advance(limit, &s.stop); err != nil {
			return false, err
		}
		switch {
		case s.beside.steps.Stopped():
		case until > limit:
			s.cutAt = units.Time(s.lookEnd)
			return false, nil
		default:
			return true, nil
		}
		if goesOn, err := s.paused(s.beside.steps.Windows()); !goesOn {
			return false, err
		}
	}
}

// beside is how far a run beside traffic without an end of its own has got.
type beside struct {
	steps      *engine.Steps
	now, pause int64 // ps: of the last pause, and from there to the next one
}

// shot is what links had carried at a time.
type shot struct {
	at          units.Time
	ports, nics []fabric.PortUse
}

func (s *simulation) shoot(at units.Time) *shot {
	g := s.plan.Fabric.Graph
	taken := &shot{at, make([]fabric.PortUse, len(g.Ports)), make([]fabric.PortUse, len(g.NICPort))}
	for i := range taken.ports {
		taken.ports[i] = s.network.port(i)
	}
	for i := range taken.nics {
		taken.nics[i] = s.network.nic(i)
	}
	return taken
}
