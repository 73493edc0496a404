package completion

import (
	"fabricast/ethernet"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/units"
)

// idleTime returns the time of a message of so many bytes from one host to another on an idle
// network, from send to delivery.
type idleTime func(from, to int32, size int64) (units.Time, error)

// idleOf returns the times of messages on the idle network of a plan, and whether they are the same
// for all messages of one size between two hosts.
func idleOf(p *plan.Plan) (time idleTime, fixed bool, err error) {
	e := p.Experiment
	before := e.Node.Overhead // of the sender
	if e.HasTraffic() {
		before = 0
	}
	alone := predict.NewAlone(p)
	if !e.Network.Ethernet() {
		return withCredits(p, alone, before), alone.Fixed(), nil
	}
	idle, err := ethernet.NewIdle(p.Ethernet())
	if err != nil {
		return nil, false, err
	}
	nics := int32(p.Fabric.Graph.NICsPerHost)
	return func(from, to int32, size int64) (units.Time, error) {
		took, _ := idle.Time(from*nics, to*nics, size)
		return before + units.Time(took), nil
	}, alone.Alike(), nil // all ways are of the same length
}

// mostWays is the number of routes that are kept.
const mostWays = 1 << 20

// withCredits returns the times on an idle network whose routers have credits. before is the time
// before a message is sent.
func withCredits(p *plan.Plan, alone *predict.Alone, before units.Time) idleTime {
	e, ways := p.Experiment, map[[2]int32]*predict.Way{}
	prices := predict.Prices{
		Links: p.Fabric.Links, Router: e.RouterDelay(), Crossbar: e.Network.Router.Bandwidth,
		Memory: e.MemoryRate(), Buses: 2 * e.Node.IOBus.Latency,
	}
	return func(from, to int32, size int64) (units.Time, error) {
		key := [2]int32{from, to}
		way := ways[key]
		if way == nil {
			found, err := alone.Way(from, to)
			if err != nil {
				return 0, err
			}
			if way = &found; len(ways) < mostWays {
				ways[key] = way
			}
		}
		return before + alone.Pass(way, size, &prices).Latency, nil
	}
}
