package fabricast

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"fabricast/internal/experiment"
	"fabricast/workload"
)

// TestWorkersChangeNoModel is TestWorkersChangeNothing for networks without packets: on every model,
// with every program that can be named, a result and every table recorded with it are a function of
// the experiment alone.
func TestWorkersChangeNoModel(t *testing.T) {
	for _, model := range experiment.ModelNames() {
		if model == ModelPacket {
			continue
		}
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			d := drawsFor(t)
			for _, name := range workload.Names() {
				if text := drawProgram(d, name); text != "" {
					workersAgree(t, drawAbstract(d, model)+text)
				}
			}
		})
	}
}

// TestNoContentionOnEveryNetwork is TestWorkersChangeNoModel for every network and routing that can
// be named.
func TestNoContentionOnEveryNetwork(t *testing.T) {
	eachSmallNetwork(t, func(t *testing.T, network string) {
		t.Parallel()
		d := drawsFor(t)
		eachRouting(t, d, network, func(routing string) {
			workersAgree(t, fmt.Sprintf(
				"network: {model: contention-free, topology: %s, routing: %s, router: {vcs: 8}}\nseed: %d\n"+
					"workload: {program: alltoall, algorithm: %s, size: %dB}\nranks: 2\n",
				network, routing, d.IntN(1000), one(d, "ring", "bruck", "simple-spread"), d.IntN(3000),
			))
		})
	})
}

// drawAbstract describes a network of a model, and nodes.
func drawAbstract(d *rand.Rand, model string) string {
	text := "network: {model: " + model
	switch topology := d.IntN(2) > 0; {
	case topology || model == ModelContentionFree:
		text += ", topology: " + one(d, "{dims: [3, 4]}", "{kind: fat-tree, radix: 4, levels: 2, hosts: 2}")
	case model == ModelAlphaBeta:
		text += fmt.Sprintf(", parameters: {alpha: %dns, beta: %dGB/s}", 1+d.IntN(999), 1+d.IntN(99))
	default:
		text += fmt.Sprintf(", parameters: {L: %dns, o: %dns, g: %dns", 1+d.IntN(999), d.IntN(999), d.IntN(999))
		if model != ModelLogP {
			text += fmt.Sprintf(", G: %dps", d.IntN(999))
		}
		if model == ModelLogGOPS {
			text += fmt.Sprintf(", O: %dps, S: %s", d.IntN(99), one(d, "500B", "1TiB"))
		}
		text += "}"
	}
	text += fmt.Sprintf("}\nseed: %d\nranks: 8\nnode: {nics: %s, ranks: %s, intra: {latency: 50ns}",
		d.IntN(1000), one(d, "1", "2"), one(d, "1", "2", "3"))
	if d.IntN(2) > 0 {
		text += ", protocol: {eager: 600B, rendezvous: " + one(d, "read", "write") + "}"
	}
	text += "}\n"
	if d.IntN(2) > 0 {
		text += "record: {messages: true, timeline: true}\n"
	}
	return text
}

// drawProgram describes a small run of a program by name; "" if it needs a file.
func drawProgram(d *rand.Rand, name string) string {
	text := "workload: {program: " + name
	for _, p := range workload.Find(name).Params {
		switch {
		case p.Name == "file":
			return ""
		case p.Name == "size":
			text += fmt.Sprintf(", size: %dB", 1+d.IntN(2000))
		case p.Name == "iterations" || p.Name == "messages":
			text += ", " + p.Name + ": 3"
		}
	}
	return text + "}\n"
}
