// Package producttest draws random experiments for tests of the whole product: over every named
// network, routing algorithm, switch, traffic pattern, program and model. It also collects the
// outputs of their runs. The tests are in the folders below, by subject.
package producttest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"fabricast/experiment"
	"fabricast/internal/draws"
	"fabricast/traffic"
)

// Draws returns a source of random numbers for a test, different for each commit.
func Draws(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(hashOf(t), draws.Round())) }

// SameDraws returns a source of random numbers for a test, or for parts of it with a name, the same for each commit.
func SameDraws(t testing.TB, part ...string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Join(part, " ")))
	return rand.New(rand.NewPCG(hashOf(t), 0x6964+h.Sum64()))
}

func hashOf(t testing.TB) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Name()))
	return h.Sum64()
}

// Turn reports whether to run the i-th of a test's cases. Each commit runs one of every `of` cases;
// long tests run all.
func Turn(t testing.TB, i, of int) bool {
	return draws.Long() || (hashOf(t)+uint64(i)+draws.Round())%uint64(of) == 0
}

// One returns one of the values at random.
func One(d *rand.Rand, values ...string) string { return values[d.IntN(len(values))] }

// switches are the kinds of switches.
var switches = []string{
	"{queues: input",
	"{queues: voq",
	"{queues: input, output_buffer: 1KiB, bandwidth: 12GB/s",
}

// Router returns a random kind of switch, as YAML.
func Router(d *rand.Rand) string {
	arbiter := One(d, experiment.Words("network.router.arbiter")...)
	return One(d, switches...) + ", arbiter: " + arbiter + ", buffer: " + One(d, "512B", "1KiB", "8KiB") + "}"
}

// Load returns a random load for a network with the given number of hosts, as YAML: a program,
// traffic, or jobs.
func Load(d *rand.Rand, hosts int) string {
	switch d.IntN(8) {
	case 0, 1:
		return Jobs(d, hosts, true)
	case 2, 3:
		return fmt.Sprintf(
			"%straffic: {%s, measure: {longest: %s, bin: 100ns}}\n", node(d), loop(d), One(d, "1us", "2us", "5us"),
		)
	case 4:
		return "node: {nics: " + One(d, "1", "2") + ", protocol: {eager: 256B, rendezvous: " +
			One(d, "write", "read") + "}}\nworkload: {program: alltoall, algorithm: simple-spread, size: 700B}\n"
	}
	return node(d) + imbalance(d) + One(d,
		"workload: {program: alltoall, algorithm: simple-spread, size: 700B}\n",
		"workload: {program: alltoall, algorithm: ring, size: 300B}\n",
		"workload: {program: alltoall, algorithm: ring, size: 300B}\ncollectives: {alltoall: {pacing: mod}}\n",
		"workload: {program: alltoall, algorithm: bruck, size: 300B}\n",
		"workload: {program: allreduce, size: 4KiB}\n",
		"workload: {program: stencil3d, size: 300B, iterations: 2, compute: 1us}\ncompute: {ranks: {0: 1.7, 1: 0.3}}\n",
	)
}

func node(d *rand.Rand) string {
	return fmt.Sprintf("node: {nics: %s, overhead: %s}\n", One(d, "1", "1", "2"), One(d, "0ns", "100ns"))
}

// imbalance returns random start times of ranks, as YAML, mostly as a share of a time that must be
// found first.
func imbalance(d *rand.Rand) string {
	if d.IntN(2) > 0 {
		return ""
	}
	text := fmt.Sprintf(
		"imbalance: {distribution: %s, order: %s, width: %s}\n",
		One(d, experiment.ImbalanceNormal, experiment.ImbalanceUniform, experiment.ImbalanceExponential),
		One(d, experiment.OrderSorted, experiment.OrderRandom),
		One(d, "3us", fmt.Sprintf("%d%%", 1+d.IntN(100)), "0.001%", "100%"),
	)
	if d.IntN(2) == 0 {
		text += One(d, "noise: {every: 5us, lose: 300ns}\n", "noise: {every: 1us, lose: 50ns, phase: aligned}\n")
	}
	return text
}

// Pattern returns a traffic pattern, as YAML, with parameters that suit many small networks.
func Pattern(kind *traffic.Kind) string {
	params := map[string]string{
		"hosts": "hosts: [0, 2]",
		"share": "share: 20%",
		"block": "block: 2",
		"parts": "parts: [{share: 60%, hops: 1}, {share: 40%}]",
	}
	text := "{name: " + kind.Name
	for _, name := range kind.Params {
		if param := params[name]; param != "" {
			text += ", " + param
		}
	}
	return text + "}"
}

// loop returns a random way to drive sources: an open or a closed loop.
func loop(d *rand.Rand) string {
	sizes := []string{"1B", "64B", "256B", "1000B", "5KiB"}
	if d.IntN(2) == 0 {
		return fmt.Sprintf(
			"window: %d, size: %s, reply: %s",
			1+d.IntN(6), One(d, sizes...), One(d, append(sizes, "0B")...),
		)
	}
	return fmt.Sprintf(
		"load: %d%%, size: %s, arrivals: %s",
		1+d.IntN(100), One(d, sizes...), One(d, "bernoulli", "poisson"),
	)
}

// Traffic returns random traffic of the given pattern.
func Traffic(d *rand.Rand, kind *traffic.Kind) string {
	return fmt.Sprintf(
		"traffic: {pattern: %s, %s, measure: {longest: %s}}\n", Pattern(kind), loop(d), One(d, "1us", "5us"),
	)
}

// Jobs returns random jobs for a network with the given number of hosts. background says whether
// background traffic may be among them.
func Jobs(d *rand.Rand, hosts int, background bool) string {
	var jobs []string
	left := hosts
	for i := 0; i < 4 && left >= 2; i++ {
		use := 2 + d.IntN(max(1, min(left-1, left/2+1)))
		per := 1 + d.IntN(2)
		what := One(
			d,
			"workload: {program: alltoall, algorithm: ring, size: 700B}",
			"workload: {program: alltoall, algorithm: simple-spread, size: 300B}",
			"workload: {program: allreduce, size: 3KiB}",
			"workload: {program: random-ring, size: 2KiB, iterations: 3}",
			"workload: {program: uniform, size: 1KiB, messages: 7}",
		)
		ranks := fmt.Sprintf("ranks: %d, per_node: %d", use*per, per)
		if background && i > 0 && d.IntN(3) == 0 {
			what = One(
				d,
				"traffic: {pattern: uniform, load: 30%}",
				"traffic: {pattern: uniform-others, load: 70%, size: 900B, arrivals: poisson}",
				"traffic: {window: 2, size: 64B, reply: 1KiB}",
			) + One(d, "", ", duration: 3us")
			ranks = fmt.Sprintf("ranks: %d", use)
		}
		jobs = append(jobs, fmt.Sprintf(
			"  - {%s, %s, placement: %s, start: %s, seed: %d}", what, ranks,
			One(d, "linear", "random-nodes", "random-routers", "{order: random-groups, group: 3}"),
			One(d, "0ps", "1us", "333ns"), 1+d.IntN(100),
		))
		left -= use
	}
	d.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
	return fmt.Sprintf(
		"node: {nics: %s, protocol: %s}\njobs:\n", One(d, "1", "1", "2"), One(d, "{}", "{}", "{eager: 1KiB}"),
	) + strings.Join(jobs, "\n") + "\n"
}
