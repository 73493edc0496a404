package completion

import (
	"fabricast/ethernet"
	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/record"
)

// idleTime returns the time of a message of so many bytes from one host to another on an idle
// network, until delivery.
type idleTime func(from, to int32, size int64) (units.Time, error)

// beforeSend returns the time that the sender of a message takes before the message is sent.
func beforeSend(e *experiment.Resolved, m *record.Message) units.Time {
	if e.HasTraffic() || m.Collective != "" && m.Tag&node.ByDevice != 0 {
		return 0
	}
	return e.Node.Overhead
}

// idleOf returns the times of messages on the idle network of a plan, and whether they are the same
// for all messages of one size between two hosts.
func idleOf(p *plan.Plan) (time idleTime, fixed bool, err error) {
	e := p.Experiment
	alone := predict.NewAlone(p)
	if !e.Network.Ethernet() {
		return withCredits(p, alone), alone.Fixed(), nil
	}
	idle, err := ethernet.NewIdle(p.Ethernet())
	if err != nil {
		return nil, false, err
	}
	nics := int32(p.Fabric.Graph.NICsPerHost)
	return func(from, to int32, size int64) (units.Time, error) {
		took, _ := idle.Time(from*nics, to*nics, size)
		return units.Time(took), nil
	}, alone.Alike(), nil // all ways are of the same length
}

// mostWays is the number of routes that are kept.
const mostWays = 1 << 20

// withCredits returns the times on an idle network whose routers have credits.
func withCredits(p *plan.Plan, alone *predict.Alone) idleTime {
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
		return alone.Pass(way, size, &prices).Latency, nil
	}
}
