// Package ways holds the headline promise: a result, and every table recorded with it, is a function of
// the experiment alone, in whatever way it is run.
package ways

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fabricast"
	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/record"
	"fabricast/traffic"
	"fabricast/workload"
)

// drawn is an experiment, with what a run of it by one worker leaves.
type drawn struct {
	text   string
	folder string // of the reference run
	result *fabricast.Result
	want   producttest.Outcome
	took   time.Duration
	tables bool // it records some
	doors  makeDoors
	// completes gives an experiment what its text does not say, such as a program in Go; nil: nothing
	completes func(e *fabricast.Experiment) error

	crossed atomic.Int64 // streams that crossed a border between workers or processes, in all runs
}

// parse reads an experiment's text, and gives it the doors and what else its text does not say.
func (x *drawn) parse(engine string) (*fabricast.Experiment, error) {
	e, err := fabricast.Parse("drawn.yaml", x.text+engine)
	if err == nil {
		e.Network.Doors = x.doors
	}
	if err == nil && x.completes != nil {
		err = x.completes(e)
	}
	return e, err
}

// credits reports whether the network of an experiment carries packets that wait for credits.
func (x *drawn) credits() bool { return x.result.Model == "" && x.result.Congestion == nil }

// packets reports whether the network carries packets.
func (x *drawn) packets() bool { return x.credits() || x.ethernet() }

// ethernet reports whether the network drops or pauses packets.
func (x *drawn) ethernet() bool { return x.result.Congestion != nil }

// flowRecords are what some experiments of networks record that drop or pause packets.
const flowRecords = "messages: true, causes: path, bins: {interval: auto, buffers: true}, flows: {count: 3}"

// difference tells what of a run is not as in the reference run, which said nothing of the engine; "" if
// there is nothing.
func (x *drawn) difference(r *fabricast.Result, folder, engine string) (string, error) {
	got, err := producttest.OutcomeOf(r, folder)
	if err != nil {
		return "", err
	}
	but := ""
	if engine != "" {
		but = record.ExperimentFile
	}
	return x.want.Difference(got, but), nil
}

// recordAll is what some experiments record.
const recordAll = "record: {bins: {interval: 500ns, buffers: true}, buffers: {routers: [0]}, messages: true, causes: path"

// refer runs an experiment by one worker; nil if it is refused, which may be only where that is allowed.
func refer(t *testing.T, text string, mayBeRefused bool) *drawn {
	t.Helper()
	return (&drawn{text: text}).refer(t, mayBeRefused)
}

func (x *drawn) refer(t *testing.T, mayBeRefused bool) *drawn {
	t.Helper()
	x.folder = filepath.Join(t.TempDir(), "reference")
	e, err := x.parse("")
	if err == nil {
		begin := time.Now()
		x.result, err = e.Run(context.Background(), fabricast.Workers(1), fabricast.Record(x.folder))
		x.took, x.tables = time.Since(begin), e.Record.Given()
	}
	if err == nil {
		x.want, err = producttest.OutcomeOf(x.result, x.folder)
	}
	if err != nil {
		if !mayBeRefused || !producttest.Refused(err) {
			t.Errorf("%v\n%s", err, x.text)
		}
		return nil
	}
	return x
}

// eachDrawn calls f with experiments of every kind. Each commit draws others, of a part of the networks,
// routings, patterns and programs, short tests of a fifth of the networks; long tests draw of all.
func eachDrawn(t *testing.T, f func(t *testing.T, d *rand.Rand, x *drawn)) {
	producttest.EachNetwork(t, func(t *testing.T, network string) {
		if testing.Short() && !producttest.Turn(t, 0, 5) {
			return
		}
		t.Parallel()
		d := producttest.Draws(t)
		for range rounds() {
			drawNetwork(t, d, network, func(x *drawn) { f(t, d, x) })
		}
	})
	for _, model := range experiment.ModelNames() {
		if model == experiment.ModelPacket {
			continue
		}
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			d := producttest.Draws(t)
			for range rounds() {
				for i, name := range workload.Names() {
					if text := drawProgram(d, name); text != "" && producttest.Turn(t, i, oneOf(8)) {
						call(f, t, d, refer(t, drawModel(d, model)+text, false))
					}
				}
			}
		})
	}
	for _, algorithm := range control.EthernetKinds() {
		t.Run("ethernet, "+algorithm.Name, func(t *testing.T) {
			t.Parallel()
			d := producttest.Draws(t)
			for range rounds() {
				for i, name := range workload.Names() {
					if text := drawProgram(d, name); text != "" && producttest.Turn(t, i, oneOf(12)) {
						call(f, t, d, refer(t, drawEthernet(t, d, algorithm)+text, false))
					}
				}
				for i := range 2 {
					if producttest.Turn(t, i, oneOf(4)) {
						call(f, t, d, refer(t, drawFlows(d, drawEthernet(t, d, algorithm)), false))
					}
				}
			}
		})
	}
	eachFaulted(t, f)
	eachInNetwork(t, f)
	t.Run("kept", func(t *testing.T) {
		t.Parallel()
		d := producttest.Draws(t)
		for i, text := range kept {
			if producttest.Turn(t, i, oneOf(3)) {
				call(f, t, d, refer(t, text, false))
			}
		}
	})
	t.Run("long messages", func(t *testing.T) {
		t.Parallel()
		d := producttest.Draws(t)
		for range times(6) {
			call(f, t, d, refer(t, drawLong(d), false))
		}
	})
	t.Run("assumptions", func(t *testing.T) {
		t.Parallel()
		d := producttest.Draws(t)
		for range times(4) {
			call(f, t, d, refer(t, drawAssumptions(d), false))
		}
	})
}

// kept are experiments that once went wrong, or that draws seldom make. Queues are published at shorter
// intervals than the windows would have without, with credit that comes at that very time. Windows of a
// network without links between routers are longer than the first pause of traffic without an end.
var kept = []string{
	publishedEvery("20ns"),
	publishedEvery("50ns"),
	publishedEvery("70ns"),
	publishedEvery("110ns"),
	"network: {topology: {kind: torus, dims: [4, 3]}}\nworkload: {program: alltoall, algorithm: bruck, size: 3KiB}\n",
	"network: {topology: {kind: dragonfly, p: 1, a: 4, h: 1}}\n" +
		"traffic: {load: 50%, size: 300B, measure: {longest: 2us, bin: 100ns}}\n",
	"network: {topology: {kind: fully-connected, routers: 1, hosts: 6}}\njobs:\n" +
		" - {name: a, ranks: 2, workload: {program: alltoall, size: 3KiB}}\n" +
		" - {name: b, ranks: 2, traffic: {load: 20%, size: 300B}}\n",
	"network: {topology: {dims: [4, 2]}}\nworkload: {program: serving, " +
		"model: {layers: 2, hidden: 64, heads: 4, vocabulary: 64, sequence: 64, experts: 4}, " +
		"parallel: {tensor: 2, expert: 2}, pools: {prefill: 1, decode: 1}, batching: {requests: 3, tokens: 50}, " +
		"arrivals: {requests: 5, interval: 20us, prompt: 40, prompt_spread: 40, output: 4, output_spread: 30}}\n",
}

func publishedEvery(interval string) string {
	return "network: {topology: {kind: torus, dims: [4, 3], hosts: 2}, routing: {algorithm: ugal-g, interval: " +
		interval + "}}\nseed: 966\ntraffic: {load: 60%, size: 200B, measure: {longest: 2us, bin: 100ns}}\n"
}

func call(f func(*testing.T, *rand.Rand, *drawn), t *testing.T, d *rand.Rand, x *drawn) {
	t.Helper()
	if x != nil {
		f(t, d, x)
	}
}

// drawNetwork draws experiments on a network: with routings that fit it, patterns of traffic, and without
// packets.
func drawNetwork(t *testing.T, d *rand.Rand, network string, f func(x *drawn)) {
	t.Helper()
	hosts := producttest.Hosts(t, network)
	packets := func(routing, load string, mayBeRefused bool) {
		text := fmt.Sprintf(
			"network: {topology: %s%s, router: %s}\npartition: %s\nseed: %d\n%s", network, routing,
			producttest.Router(d), producttest.One(d, "linear", "topology", "graph"), d.IntN(1000), load,
		)
		if d.IntN(3) == 0 {
			text += recordAll
			if !strings.Contains(load, "traffic:") {
				text += ", timeline: true"
			}
			text += "}\n"
		}
		if x := refer(t, text, mayBeRefused); x != nil {
			f(x)
		}
	}
	i := 0
	producttest.EachRouting(t, d, network, func(routing string) {
		if i++; producttest.Turn(t, i, 12) {
			packets(", routing: "+routing, producttest.Load(d, hosts), false)
		}
		if producttest.Turn(t, i+6, 12) {
			text := fmt.Sprintf(
				"network: {model: contention-free, topology: %s, routing: %s, router: {vcs: 8}}\nseed: %d\n"+
					"workload: {program: alltoall, algorithm: %s, size: %dB}\nranks: 2\n", network, routing,
				d.IntN(1000), producttest.One(d, "ring", "bruck", "simple-spread"), d.IntN(3000),
			)
			if x := refer(t, text, false); x != nil {
				f(x)
			}
		}
	})
	// Queues that all routers know are published more often than windows would end without them.
	if producttest.Turn(t, 0, 6) {
		packets(fmt.Sprintf(
			", routing: {algorithm: %s, interval: %dns, threshold: %d}", experiment.RoutingUGALG, 10+d.IntN(190), d.IntN(9),
		), producttest.Load(d, hosts), true)
	}
	for i, kind := range traffic.Kinds() { // most are refused by most networks
		if producttest.Turn(t, i, 30) {
			packets("", producttest.Traffic(d, kind), true)
		}
	}
}

// drawModel describes a network of a model, and nodes.
func drawModel(d *rand.Rand, model string) string {
	one := producttest.One
	text := "network: {model: " + model
	switch topology := d.IntN(2) > 0; {
	case topology || model == experiment.ModelContentionFree:
		text += ", topology: " + one(d, "{dims: [3, 4]}", "{kind: fat-tree, radix: 4, levels: 2, hosts: 2}")
	case model == experiment.ModelAlphaBeta:
		text += fmt.Sprintf(", parameters: {alpha: %dns, beta: %dGB/s}", 1+d.IntN(999), 1+d.IntN(99))
	default:
		text += fmt.Sprintf(", parameters: {L: %dns, o: %dns, g: %dns", 1+d.IntN(999), d.IntN(999), d.IntN(999))
		if model != experiment.ModelLogP {
			text += fmt.Sprintf(", G: %dps", d.IntN(999))
		}
		if model == experiment.ModelLogGOPS {
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
		text += "record: {messages: true, timeline: true, causes: path}\n"
	}
	return text
}

// drawEthernet describes a network that drops or pauses packets, with an algorithm of congestion control,
// and nodes.
func drawEthernet(t *testing.T, d *rand.Rand, algorithm *control.Kind) string {
	one := producttest.One
	buffers := one(
		d, "buffers: lossy", "buffers: lossy, trimming: true", "buffers: lossy, queue: 4KiB",
		"buffers: lossy, trimming: true, queue: 2KiB", "buffers: lossy, shared: {size: 64KiB, reserve: 1KiB}",
		"buffers: lossy, queue: 4KiB, scaled_queues: true",
		"buffers: pfc, shared: {size: 1MiB}", "buffers: pfc, shared: {size: 1MiB, alpha: 0.1%, reserve: 0B, resume: 0B}",
	)
	retransmission, every := one(d, "selective", "selective", "go-back-n"), one(d, "0B", "500B", "16KiB")
	if strings.Contains(buffers, "pfc") && d.IntN(2) == 0 {
		retransmission, every = "none", "0B"
	}
	errors := ""
	if strings.Contains(buffers, "lossy") {
		errors = one(d, "", "", "bit_errors: {rate: 1e-6}, ")
	}
	if retransmission != "none" && d.IntN(2) == 0 {
		errors += drawEthernetFaults(t, d)
	}
	if errors != "" {
		errors = "faults: {" + errors + "}\n"
	}
	choices := paths.KindNames()
	return fmt.Sprintf(
		"network: {topology: %s, link: {bandwidth: %s, latency: %s}, packet: {mtu: %s, header: 32B, flit: 1B}, "+
			"router: {%s, ecn: {at: %s%s}}}\nseed: %d\nranks: 8\nnode: {nics: %s, ranks: %s, intra: {latency: 50ns}%s, "+
			"transport: {control: {algorithm: %s%s}, paths: {algorithm: %s}, retransmission: %s, queue_pairs: %s, "+
			"ack_every: %s%s}}\n%s",
		one(
			d, "{dims: [3, 4]}", "{dims: [2, 2], hosts: 3}", "{kind: fat-tree, radix: 4, levels: 3}",
			"{kind: dragonfly, p: 2, a: 4, h: 2}", "{kind: fully-connected, routers: 1, hosts: 9}",
		),
		one(d, "1GB/s", "100Gb/s", "3.3GB/s"), one(d, "1ps", "1ns", "100ns", "1us"), one(d, "64B", "256B", "1KiB"), buffers,
		one(d, "enqueue", "dequeue"), one(d, "", ", min: 300B, max: 2000B, probability: 30%"), d.IntN(1000),
		one(d, "1", "2"), one(d, "1", "2", "3"),
		one(d, "", ", protocol: {eager: 600B, rendezvous: read}", ", protocol: {eager: 600B, rendezvous: write}", ", copies: one"),
		algorithm.Name, withOptions(one(d, algorithm.Examples...)), choices[d.IntN(len(choices))], retransmission,
		one(d, "1", "3"), every, one(d, "", ", timeout: 20us", ", timeout_exponent: 3"),
		errors+one(d, "", "record: {timeline: true, "+flowRecords+"}\n"),
	)
}

// ranksOff finds what networks with synthetic traffic cannot have.
var ranksOff = regexp.MustCompile(`, ranks: \d, intra: \{[^}]*\}|, protocol: \{[^}]*\}|, copies: one|record: \{.*\}\n`)

// shortLinks finds the latency of links that is hardly any.
var shortLinks = regexp.MustCompile(`latency: 1[pn]s\}, packet`)

// cyclic finds topologies whose shortest paths may wait for one another in a circle.
var cyclic = regexp.MustCompile(`topology: (\{dims: [^}]*\}|\{kind: dragonfly[^}]*\})`)

// drawFlows draws synthetic traffic for a network that drops or pauses packets. Windows are not so short that
// several workers would take long for so many packets.
func drawFlows(d *rand.Rand, network string) string {
	one := producttest.One
	network = strings.Replace(network, "\nranks: 8\n", "\n", 1)
	if strings.Contains(network, "buffers: pfc") { // of pauses, so much traffic makes a deadlock there
		network = cyclic.ReplaceAllString(network, "topology: {kind: fat-tree, radix: 4, levels: 3}")
	}
	network = shortLinks.ReplaceAllString(ranksOff.ReplaceAllString(network, ""), "latency: 200ns}, packet")
	return network + fmt.Sprintf(
		"traffic: {pattern: %s, %s, measure: {longest: %s, bin: 100ns}}\n",
		one(d, "uniform", "uniform-others", "{name: hot-spot, hosts: [1, 2], share: 30%}"),
		one(
			d, "window: 2, size: 700B, reply: 3KiB", "load: 20%, size: 300B", "load: 60%, size: 2KiB, arrivals: poisson",
			"load: 40%, sizes: [{size: 64B, share: 90%}, {from: 1KiB, to: 20KiB, share: 10%}], arrivals: bursts",
			"load: 10%, size: 300B, incast: {fan_in: 2, size: 2000B, interval: 700ns}",
		),
		one(d, "2us", "5us"),
	) + one(d, "", "record: {"+flowRecords+"}\n")
}

// withOptions returns options so that they can follow another one.
func withOptions(options string) string {
	if options == "" {
		return ""
	}
	return ", " + options
}

// drawProgram describes a small run of a program by name; "" if it needs a file.
func drawProgram(d *rand.Rand, name string) string {
	text := "workload: {program: " + name
	for _, p := range workload.Find(name).Params {
		switch {
		case p.Name == "file" && p.Default == "":
			return ""
		case p.Name == "size":
			text += fmt.Sprintf(", size: %dB", 1+d.IntN(2000))
		case p.Name == "iterations" || p.Name == "messages":
			text += ", " + p.Name + ": 3"
		}
	}
	return text + "}\n"
}

// drawLong draws long messages on networks whose packets can form streams.
func drawLong(d *rand.Rand) string {
	one := producttest.One
	text := fmt.Sprintf(
		"network: {topology: %s, link: {latency: %s}, packet: {mtu: %s}, router: {buffer: %s}}\nseed: %d\nworkload: {%s, size: %dB}\n",
		one(d, "{dims: [5]}", "{dims: [4, 3], hosts: 2}", "{dims: [3, 2, 2]}", "{kind: fat-tree, radix: 4, levels: 2}"),
		one(d, "1ns", "50ns", "400ns"), one(d, "256B", "512B", "1KiB"), one(d, "2KiB", "8KiB", "32KiB"), d.IntN(1000),
		one(
			d, "program: allreduce, algorithm: ring", "program: halo3d, iterations: 2", "program: alltoall, algorithm: ring",
			"program: broadcast, algorithm: binomial", "program: uniform, messages: 3", "program: random-ring",
		), 8*(1+d.IntN(8000)),
	)
	if d.IntN(3) == 0 {
		text += "record: {bins: {interval: 500ns}, messages: true, timeline: true, causes: path}\n"
	}
	return text
}

// drawAssumptions draws what studies leave open about virtual channels, arbitration and NICs.
func drawAssumptions(d *rand.Rand) string {
	one := producttest.One
	return fmt.Sprintf(
		"network: {topology: {kind: %s, dims: %s, hosts: %s}, "+
			"routing: {algorithm: dor, dateline: %s, entry: %s, tie: %s, choice: %s}, router: {vcs: %s, arbiter: %s}}\n"+
			"node: {nics: %s, nic_order: %s, copies: %s, gap: %s}\n%s\n",
		one(d, "torus", "mesh"), one(d, "[5]", "[4, 3]", "[3, 2, 2]"), one(d, "1", "2"),
		one(d, "balanced", "classic", "ahead"), one(d, "hop", "first", "all"), one(d, "split", "up"),
		one(d, "flow", "packet", "queue"), one(d, "2", "3", "4"), one(d, "fcfs", "round-robin", "arrival"),
		one(d, "1", "2"), one(d, "fifo", "round-robin", "control-first"), one(d, "zero", "one"),
		one(d, "0", "0.125", "1.5"),
		one(
			d,
			"workload: {program: alltoall, algorithm: simple-spread, size: 1000B}",
			"workload: {program: alltoall, algorithm: bruck, size: 300B, pacing: mod}",
			"workload: {program: uniform, size: 700B, messages: 20, by: put}",
			"workload: {program: halo3d, size: 2000B, iterations: 3}",
			"traffic: {pattern: uniform, load: 0.3, measure: {precision: 20%, tolerance: 10%, longest: 5us, bin: 100ns}, "+
				"sizes: [{size: 64B, share: 50%}, {size: 1000B, share: 50%}]}",
		),
	)
}
