package run

import (
	"math"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/meter"
	"fabricast/internal/predict"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// course is how a run goes through simulated time: straight to its end (straight), until programs
// have ended beside traffic (beside), or through the phases of a measurement (measurement).
type course interface {
	// steps are what drives the blocks.
	steps() *engine.Steps
	// advance drives the blocks until nothing is left to do, or the run is stopped.
	advance() error
	// clock returns the simulated time that has been reached, and that by which the present phase
	// ends at the latest; 0 if there is none.
	clock() (now, bound units.Time)
	// work returns how much work is done, and the total, which is 0 if unknown.
	work() (done, total float64)
	// state goes over what is the same in all processes.
	state(v *snapshot.Visitor)
	// meter measures links in a run that has ended at a time.
	meter(end units.Time) meter.Links
}

// straight is the course of a run until nothing is left to do.
type straight struct{ *simulation }

// steps implements course.
func (c straight) steps() *engine.Steps {
	return engine.NewSteps(c.blocks, int64(LookGrain), math.MaxInt64)
}

// advance implements course.
func (c straight) advance() error {
	_, err := c.step(math.MaxInt64)
	return err
}

// clock implements course.
func (c straight) clock() (now, bound units.Time) { return c.now(), 0 }

// work implements course. For an unknown program it counts the ranks that have ended.
func (c straight) work() (done, total float64) {
	if c.forecast == nil {
		const least = 0.01
		ended, ranks := float64(c.jobs.finished()), float64(c.jobs.ranks)
		if ended < least*ranks {
			return 0, 0
		}
		return ended, ranks
	}
	network := c.network.Progress()
	so := predict.Work{
		Messages: float64(c.jobs.arrived()), Packets: float64(network.Packets), Hops: float64(network.Hops),
	}
	return so.Steps(), c.forecast.of(so).Steps()
}

// state implements course.
func (c straight) state(*snapshot.Visitor) {}

// meter implements course.
func (c straight) meter(end units.Time) meter.Links {
	return meter.Links{
		Plan: c.plan, Port: c.network.port, NIC: c.network.nic, Seconds: float64(end) / float64(units.Second),
	}
}

// Pauses of a run with traffic that has no end of its own. They begin with so many ps, a power of
// two, and their length doubles so that it is at most a part of the time that has passed.
const (
	firstPause = 1 << 20
	pauseShare = 64
)

// beside is the course of a run beside traffic without an end of its own. Every now and then, at
// simulated times that depend on nothing, it looks whether the jobs with ranks have ended, or can
// never. Then the traffic ends, and what is under way arrives.
type beside struct {
	straight
	at, pause int64 // ps: of the last pause, and from there to the next one
	shot      *shot // when the traffic ended; nil if it has not
}

// advance implements course.
func (c *beside) advance() error {
	for c.shot == nil {
		if goesOn, err := c.step(c.at + c.pause); !goesOn {
			return err
		}
		c.at += c.pause
		if c.jobs.over(c.at) || c.simulation.steps.Quiet() {
			c.jobs.endTraffic(c.at)
			if n := c.network.across; n != nil {
				n.CollectUse()
			}
			c.shot = c.shoot()
			break
		}
		if c.at%(2*c.pause) == 0 && 2*c.pause <= c.at/pauseShare {
			c.pause *= 2
		}
	}
	return c.straight.advance()
}

// meter implements course: links count until the traffic ends.
func (c *beside) meter(end units.Time) meter.Links {
	if c.shot == nil {
		return c.straight.meter(end)
	}
	port := func(i int) fabric.PortUse { return c.shot.ports[i] }
	nic := func(i int) fabric.PortUse { return c.shot.nics[i] }
	return meter.Links{Plan: c.plan, Port: port, NIC: nic, Seconds: float64(c.at) / float64(units.Second)}
}

// state implements course.
func (c *beside) state(v *snapshot.Visitor) {
	snapshot.Value(v, &c.jobs.ended)
	snapshot.Value(v, &c.at)
	snapshot.Value(v, &c.pause)
	if !v.Flag(c.shot != nil) {
		c.shot = nil
		return
	}
	if c.shot == nil {
		c.shot = &shot{}
	}
	snapshot.List(v, &c.shot.ports)
	snapshot.List(v, &c.shot.nics)
}

// shot is what links have carried.
type shot struct{ ports, nics []fabric.PortUse }

func (c *beside) shoot() *shot {
	g := c.plan.Fabric.Graph
	taken := &shot{make([]fabric.PortUse, len(g.Ports)), make([]fabric.PortUse, len(g.NICPort))}
	for i := range taken.ports {
		taken.ports[i] = c.network.port(i)
	}
	for i := range taken.nics {
		taken.nics[i] = c.network.nic(i)
	}
	return taken
}
