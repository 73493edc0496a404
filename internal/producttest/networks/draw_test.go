package networks

import (
	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
)

// drawNetwork draws a ring of unequal rates whose packets carry 488 bytes.
func drawNetwork(t *rapid.T) fabricast.Experiment {
	rate := rapid.Custom(func(t *rapid.T) fabricast.Rate {
		return fabricast.Rate(rapid.Int64Range(1e8, 1e11).Draw(t, "rate"))
	})
	delay := rapid.Custom(func(t *rapid.T) fabricast.Time {
		return fabricast.Time(rapid.Int64Range(1, 500_000).Draw(t, "delay"))
	})
	e := producttest.Torus(rapid.IntRange(2, 9).Draw(t, "ring"))
	n := &e.Network
	n.Link = experiment.Link{Bandwidth: rate.Draw(t, "link"), Latency: delay.Draw(t, "cable")}
	n.HostLink = experiment.Link{Bandwidth: rate.Draw(t, "host link"), Latency: delay.Draw(t, "host cable")}
	n.Router = experiment.Router{
		Routing:      delay.Draw(t, "rc"),
		VCAllocation: delay.Draw(t, "va"), SwitchAllocation: delay.Draw(t, "sa"),
		SwitchTraversal: delay.Draw(t, "st"),
		Latency:         delay.Draw(t, "router"), Bandwidth: rate.Draw(t, "crossbar"),
	}
	n.Packet = experiment.Packet{MTU: 512, Header: 24, Flit: 8}
	e.Node = experiment.Node{
		DMA: rate.Draw(t, "dma"), Memory: rate.Draw(t, "memory"), Overhead: delay.Draw(t, "overhead"),
		Copies: rapid.SampledFrom([]string{"zero", "one"}).Draw(t, "copies"),
	}
	if rapid.Bool().Draw(t, "an I/O bus") {
		e.Node.IOBus = experiment.IOBus{Bandwidth: rate.Draw(t, "bus"), Latency: delay.Draw(t, "bus latency")}
	}
	return e
}

// drawHostLinks may give hosts 0 and 1 links of their own.
func drawHostLinks(t *rapid.T, e *fabricast.Experiment) {
	e.Network.Links = map[string]experiment.Link{}
	for _, name := range []string{"host/0", "host/1"} {
		if rapid.Bool().Draw(t, "a link of its own for "+name) {
			e.Network.Links[name] = experiment.Link{
				Bandwidth: fabricast.Rate(rapid.Int64Range(1e8, 1e11).Draw(t, "rate of "+name)),
				Latency:   fabricast.Time(rapid.Int64Range(0, 500_000).Draw(t, "cable of "+name)),
			}
		}
	}
}
