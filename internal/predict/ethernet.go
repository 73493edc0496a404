package predict

import (
	"strings"

	"fabricast/ethernet"
	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/random"
	"fabricast/internal/units"
	"fabricast/internal/version"
)

// sampledPairs is the number of pairs of hosts of which the latencies are computed, if there are more.
const sampledPairs = 1 << 14

// ethernetPreview returns the preview of a plan whose routers drop or pause packets.
func ethernetPreview(p *plan.Plan) (*Preview, error) {
	zero, err := ethernetZeroLoad(p)
	if err != nil {
		return nil, err
	}
	g := p.Fabric.Graph
	deadlock := "packets that do not fit are lost"
	if p.Experiment.Network.Router.Buffers == experiment.BuffersPFC {
		deadlock = "pauses in a circle are found when they happen"
	}
	return &Preview{
		Schema: PreviewSchema, Version: version.Full(),
		Hosts: g.Hosts, Routers: g.Routers, Links: plan.RouterLinks(g), HostLinks: hostLinks(p),
		ZeroLoad: zero, Memory: p.Forecast(), Routing: "shortest paths", Deadlock: deadlock,
		Unread: unreadNotes(p), IdleNICs: idleNICs(p), plan: p,
	}, nil
}

// ethernetNotes lists the settings of the experiment that have no effect.
func ethernetNotes(p *plan.Plan) []string {
	fields := p.Experiment.WithoutEffect()
	if len(fields) == 0 {
		return nil
	}
	return []string{
		"network.router.buffers " + p.Experiment.Network.Router.Buffers + ": without effect are " + strings.Join(fields, ", "),
	}
}

// ethernetZeroLoad returns the latency of a message of the workload in an idle network.
func ethernetZeroLoad(p *plan.Plan) (ZeroLoad, error) {
	parts := partsOf(p)
	z := ZeroLoad{Payload: parts.payload, Packets: parts.packets, Protocol: parts.protocol}
	idle, err := ethernet.NewIdle(p.Ethernet())
	if err != nil {
		return z, p.RefuseEthernet(err)
	}
	hosts, nics := int64(p.Fabric.Graph.Hosts), int32(p.Fabric.Graph.NICsPerHost)
	if hosts < 2 {
		return z, nil
	}
	pairs := hosts * (hosts - 1)
	z.MeanIsSample = pairs > sampledPairs
	sum, links, count := units.Time(0), 0, min(pairs, sampledPairs)
	least := 0 // distance of the nearest hosts at different routers
	for i := range count {
		pair := uint64(i)
		if z.MeanIsSample {
			pair = random.Below(1, uint64(i), uint64(pairs))
		}
		from, to := int64(pair)/(hosts-1), int64(pair)%(hosts-1)
		if to >= from {
			to++
		}
		time, between := idle.Time(int32(from)*nics, int32(to)*nics, int64(parts.payload))
		latency := parts.software + units.Time(time)
		sum += latency
		links += between
		switch {
		case between == 0 || least > 0 && between > least:
		case least == 0 || between < least || latency < z.Neighbour:
			least, z.Neighbour = between, latency
		}
		if between >= z.MostLinks {
			z.MostLinks, z.Farthest = between, max(z.Farthest, latency)
		}
	}
	z.Mean, z.MeanLinks = sum/units.Time(count), float64(links)/float64(count)
	return z, nil
}
