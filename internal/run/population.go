package run

import (
	"math"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/node"
)

// population is what runs on the hosts of a network: the ranks of one program, a *node.World, or
// those of several jobs and their traffic, *jobs.
type population interface {
	Ranks() int
	Finished() int  // ranks whose program has ended
	Arrived() int64 // messages
	Failed() bool
	Err() error
	Cancel()
	Close()
	// Deadlock explains why ranks cannot go on: its error unwraps to a *node.DeadlockError.
	Deadlock() error
	Stats() *node.Stats
	Record(rank int) node.RankRecord
	Trace(t node.Tracer, spans, messages bool)
}

// advance drives the blocks until nothing is left to do.
func (s *simulation) advance() (windows uint64, err error) {
	if s.jobs != nil && s.jobs.endless() {
		return s.advanceBeside()
	}
	if s.team != nil {
		return s.advanceInTeam()
	}
	for {
		more, err := engine.RunOn(
			s.blocks, min(s.workers, engine.Workers(len(s.blocks))), &s.stop, s.network.others(),
			s.windows+windows,
		)
		windows += more
		if err != nil || !s.saver.asked() || s.halted.Load() {
			return windows, err
		}
		err = s.saver.save(s.reached(s.windows+windows), s.state)
		if err != nil || s.saver.path != "" {
			return windows, err
		}
		s.saver.goOn(&s.stop, &s.halted)
	}
}

// advanceInTeam is advance in an optimistic mode.
func (s *simulation) advanceInTeam() (windows uint64, err error) {
	drive, err := s.team.join(s.member, s.network.packets, s.group, &s.stop, func(p *fabric.Part) engine.Part {
		return &rankPart{p, s.world.(*node.World)}
	})
	if err != nil {
		return 0, err
	}
	windows, _, err = drive(math.MaxInt64, &s.stop)
	return windows, err
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
	steps, others := engine.NewSteps(s.blocks, firstPause, math.MaxInt64), s.network.others()
	if others != nil {
		steps.Across(others)
	}
	now := int64(0)
	for pause := int64(firstPause); !engine.Stopped(&s.stop, others); {
		now += pause
		if err := steps.Advance(now, &s.stop); err != nil {
			return steps.Windows(), err
		}
		if s.jobs.over(now) || steps.Quiet() {
			break
		}
		if now%(2*pause) == 0 && 2*pause <= now/pauseShare {
			pause *= 2
		}
	}
	if engine.Stopped(&s.stop, others) {
		return steps.Windows(), nil
	}
	s.jobs.endTraffic(now)
	if n := s.network.across; n != nil {
		n.CollectUse()
	}
	s.shot = s.shoot(units.Time(now))
	err = steps.Advance(math.MaxInt64, &s.stop)
	return steps.Windows(), err
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
