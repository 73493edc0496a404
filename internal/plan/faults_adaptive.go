package plan

import (
	"errors"
	"strconv"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// makeAdaptiveEpochs returns the adaptive routing of a network with outages, and its epochs. Routers avoid
// their own links that are down at once; with RerouteAdaptive, packets that leave their NICs once routing
// knows of a link avoid it from afar. They have virtual channels of their own, so that they never wait for
// packets that started before.
func makeAdaptiveEpochs(
	e *experiment.Resolved, t topology.Topology, base routing.Adaptive, outages []Outage,
) (routing.Adaptive, []fabric.Epoch, error) {
	switch e.Faults.Reroute {
	case experiment.RerouteNone:
		for i := range outages {
			if o := &outages[i]; o.between(t.Graph()) {
				o.Avoided = o.From
			}
		}
		return base, nil, nil
	case experiment.RerouteAdaptive:
	default:
		return nil, nil, e.Refuse(
			"faults.reroute", e.Faults.Reroute+" with "+base.Name(), "none or adaptive",
			"packets of this algorithm choose among routes at every router, and pass over those that are down",
		)
	}
	if e.Faults.VCs == 0 {
		return nil, nil, e.Refuse(
			"faults.vcs", strconv.Itoa(e.Faults.VCs), "at least 1 with faults.reroute: adaptive",
			"packets that are led round links from afar have virtual channels of their own",
		)
	}
	r := &rerouting{e: e, t: t, network: e.Network}
	list, err := r.avoidances(outages, routing.AroundMemory(t.Graph().Routers))
	if err != nil {
		return nil, nil, err
	}
	sets, numbers, epochs := numbered(list)
	r.record(outages)
	if len(epochs) == 0 {
		return base, nil, nil
	}
	around, err := r.allAround(sets)
	if err != nil {
		return nil, nil, err
	}
	renewed, err := routing.NewRenewed(base, around, numbers)
	if err != nil {
		return nil, nil, e.Refuse(
			"faults.reroute", "adaptive with "+base.Name(), "none, with which routers avoid their own links only", err.Error(),
		)
	}
	return renewed, epochs, r.proveAround(around)
}

// numbered returns the different sets of links that are avoided, and for each epoch the number of its set,
// from 1 on; 0: none are.
func numbered(list []avoidance) (sets [][]int32, numbers []int, epochs []fabric.Epoch) {
	known, now := map[string]int{keyOf(nil): 0}, 0
	for _, a := range list {
		n, ok := known[keyOf(a.links)]
		if !ok {
			sets = append(sets, a.links)
			n = len(sets)
			known[keyOf(a.links)] = n
		}
		if n != now {
			numbers, epochs, now = append(numbers, n), append(epochs, fabric.Epoch{At: a.at}), n
		}
	}
	return sets, numbers, epochs
}

// allAround returns adaptive routing without each of some sets of links.
func (r *rerouting) allAround(sets [][]int32) (list []*routing.Around, err error) {
	vcs, spare := r.e.Network.Router.VCs, routing.RenewedBits(len(sets))
	for _, links := range sets {
		a, err := routing.NewAround(r.withoutMost(links), vcs-r.e.Faults.VCs, vcs, spare)
		if err == nil {
			err = deadlock.Follow(r.t.Graph(), a)
		}
		if err != nil {
			return nil, r.refuse(links, "adaptive", "a network that it suits", err.Error())
		}
		list = append(list, a)
	}
	return list, nil
}

// proveAround returns an error if packets that are led round links could wait for each other in a cycle.
func (r *rerouting) proveAround(around []*routing.Around) error {
	o := deadlock.Options{VCs: r.e.Network.Router.VCs, Steps: proofSteps * int64(len(around))}
	report, err := deadlock.Check(r.t.Graph(), routing.TogetherAdaptively(around), o)
	if err == nil && !report.Whole() {
		err = errors.New(report.String())
	}
	return r.unproved(err)
}
