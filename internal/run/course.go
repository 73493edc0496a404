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

// course controls how a run proceeds through simulated time: straight to its end (straight), with
// background traffic until the programs have ended (beside), or through the phases of a measurement
// (measurement).
type course interface {
	// steps returns the engine's driver of the partition blocks.
	steps() *engine.Steps
	// advance drives the partition blocks until no events are left, or the run is stopped.
	advance() error
	// clock returns the current simulated time, and the latest time at which the present phase can
	// end; 0 if unlimited.
	clock() (now, bound units.Time)
	// work returns the amount of work done and the total amount, which is 0 if unknown.
	work() (done, total float64)
	// state visits the part of the course's state that is identical in all processes.
	state(v *snapshot.Visitor)
	// meter returns the link statistics of a run that ended at the given time.
	meter(end units.Time) meter.Links
}

// straight is the course of a run that continues until no events are left.
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

// Pauses of a run with endless traffic. The interval between them is initially firstPause (ps, a
// power of two). It doubles as long as it does not exceed 1/pauseShare of the simulated time.
const (
	firstPause = 1 << 20
	pauseShare = 64
)

// beside is the course of a run with programs and endless traffic. At pauses, whose simulated times
// are fixed, it checks whether the jobs with ranks have ended, can never end, or are cut off (cutoff).
// If so, it ends the traffic, and continues until all messages in flight are received.
type beside struct {
	straight
	at, pause int64 // ps: time of the last pause, and interval to the next one
	cutoff    cutoff
	shot      *shot // counters of links when the traffic ended; nil until then
}

// advance implements course.
func (c *beside) advance() error {
	for c.shot == nil {
		if goesOn, err := c.step(c.at + c.pause); !goesOn {
			return err
		}
		c.at += c.pause
		if c.jobs.over(c.at) || c.simulation.steps.Quiet() || c.cutoff.found(c.simulation, c.at) {
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

// meter implements course: links are counted up to the end of the traffic.
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
	snapshot.Value(v, &c.cutoff)
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

// shot is a copy of the transmit counters of all ports and NICs.
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
