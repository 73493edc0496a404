package networks

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/topology"
)

// oneRouter has hosts at one router that takes 100 ns. Host 1 has a link of 1GB/s and 200ns, all
// others links of 10GB/s and 50ns. Memory is as fast as the fast links.
const oneRouter = `network:
  topology: {kind: fully-connected, routers: 1, hosts: %d}
  host_link: {bandwidth: 10GB/s, latency: 50ns}
  links: {host/1: {bandwidth: 1GB/s, latency: 200ns}}
  router: {routing: 0, vc_allocation: 0, switch_allocation: 0, latency: 100ns, buffer: 64KiB}
  packet: {mtu: 1000B, flit: 10B}
node: {dma: 10GB/s, overhead: 0}
`

// TestTwoHostsOneSlow: messages between a fast and a slow host, worked out by hand.
func TestTwoHostsOneSlow(t *testing.T) {
	e, err := fabricast.Parse("x.yaml", fmt.Sprintf(oneRouter, 3)+"workload: {program: barrier}\n")
	if err != nil {
		t.Fatal(err)
	}
	const ns = fabricast.Nanosecond
	f := func(from, to, size int, want fabricast.Time) {
		t.Helper()
		if got := latency(t, *e, from, to, size); got != want {
			t.Errorf("%d bytes from host %d to host %d took %v, want %v", size, from, to, got, want)
		}
	}
	// memory 100 ns, cables, router 100 ns, the packet on the slowest link, memory 100 ns
	f(0, 2, 1000, (100+50+50+100+100+100)*ns)
	f(0, 1, 1000, (100+50+200+100+1000+100)*ns)
	f(1, 0, 1000, (100+50+200+100+1000+100)*ns)
	// ten packets follow one another on the slowest link
	f(0, 2, 10_000, (100+50+50+100+1000+100)*ns)
	f(0, 1, 10_000, (100+50+200+100+10_000+100)*ns)
	f(1, 0, 10_000, (100+50+200+100+10_000+100)*ns)
}

// TestLoadIsOfOwnLink: hosts with links of any rates each inject the same share of their own.
func TestLoadIsOfOwnLink(t *testing.T) {
	f := func(slow, load int, arrivals string) {
		t.Helper()
		// a fast host sends to the slow one, no more than part of what that takes
		share := float64(load*slow) / 1000
		text := fmt.Sprintf(oneRouter, 4) + fmt.Sprintf(
			"traffic: {pattern: tornado, load: %.2f%%, size: 1000B, arrivals: %s, measure: {precision: 5%%}}\n",
			share*100, arrivals,
		)
		text = strings.Replace(text, "bandwidth: 1GB/s", fmt.Sprintf("bandwidth: %dGB/s", slow), 1)
		e, err := fabricast.Parse("x.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		a := producttest.Run(t, e, fabricast.Workers(1)).Traffic.Accepted
		for _, got := range []float64{a.SentMin, a.SentMax, a.Mean} {
			if math.Abs(got/share-1) > 0.2 {
				t.Errorf("accepted %+v of %v offered\n%s", a, share, text)
			}
		}
	}
	f(1, 50, "bernoulli")
	f(2, 80, "poisson")
	f(7, 60, "{process: bursts, burst: 4, peak: 90%}")
	f(25, 12, "poisson") // the fastest
}

// TestSlowHostSaturates: what all hosts send to a slow one is what its own link carries.
func TestSlowHostSaturates(t *testing.T) {
	e, err := fabricast.Parse("x.yaml", fmt.Sprintf(oneRouter, 4)+
		"traffic: {pattern: {name: hot-spot, hosts: [1], share: 100%}, load: 50%, size: 1000B}\n")
	if err != nil {
		t.Fatal(err)
	}
	r := producttest.Run(t, e)
	a := r.Traffic.Accepted
	if r.Traffic.Stable || math.Abs(a.Max-1) > 0.01 || math.Abs(a.Mean-1.0/31) > 0.001 || a.Min != 0 {
		t.Errorf("accepted %+v, want all of the link of 1GB/s, and nothing elsewhere", a)
	}
	if r.HostLinks.MaxUtilization < 0.99 || !strings.Contains(r.HostLinks.Busiest, "host1") {
		t.Errorf("host links %+v", r.HostLinks)
	}
}

// TestCapacityOfUnlikeHosts: with uniform traffic, hosts send in proportion to their links, and
// receive alike.
func TestCapacityOfUnlikeHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 4).Draw(t, "hosts of a router")
		n := experiment.Network{
			Topology: topology.FullSpec{Routers: 2, Hosts: p},
			Link:     experiment.Link{Bandwidth: 8e9, Latency: 1000}, Links: map[string]experiment.Link{},
		}
		rates := make([]float64, 2*p)
		for host := range rates {
			rate := rapid.Int64Range(1e9, 1e11).Draw(t, "rate")
			n.Links[fmt.Sprint("host/", host)] = experiment.Link{Bandwidth: fabricast.Rate(rate)}
			rates[host] = float64(rate)
		}
		sent := [2]float64{} // by router
		for host, rate := range rates {
			sent[host/p] += rate
		}
		all := sent[0] + sent[1]
		want := 8e9 / (max(sent[0], sent[1]) / 2)
		hosts := slices.Min(rates) / (all / float64(2*p))
		c := capacityOf(t, n, experiment.Traffic{Pattern: experiment.Pattern{Name: "uniform"}})
		// Of links that are equal but for a part in 1e9, the first is the busiest.
		if math.Abs(c.Load/want-1) > 1e-9+1e-15 || math.Abs(c.Hosts/hosts-1) > 1e-9 {
			t.Fatalf("capacity %+v, want %v and at hosts %v", c, want, hosts)
		}
	})
}

// TestParametersOfUnlikeHosts: G of LogGP is that of the slower of two hosts, on average over all pairs.
func TestParametersOfUnlikeHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(rapid.SampledFrom([]int64{1e9, 2e9, 4e9, 5e9}), 2, 6).Draw(t, "rates")
		e := fabricast.Experiment{
			Network: experiment.Network{
				Model:    experiment.ModelLogGP,
				Topology: topology.FullSpec{Routers: 1, Hosts: len(rates)},
				Packet:   experiment.Packet{MTU: 64, Flit: 1}, Links: map[string]experiment.Link{},
			},
			Node:     experiment.Node{DMA: 100 * fabricast.GBPerSecond},
			Workload: experiment.Workload{Program: "barrier"},
		}
		sum, pairs := 0.0, 0.0
		for a, from := range rates {
			e.Network.Links[fmt.Sprint("host/", a)] = experiment.Link{Bandwidth: fabricast.Rate(from)}
			for b, to := range rates {
				if a != b {
					sum, pairs = sum+1e12/float64(min(from, to)), pairs+1
				}
			}
		}
		p, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		const long = 1_000_000
		got := float64(p.Experiment.Network.Parameters.GapPerByte.Of(long)) / long
		if want := sum / pairs; math.Abs(got/want-1) > 1e-5 {
			t.Fatalf("G is %v ps, want %v; %v", got, want, rates)
		}
	})
}

// TestUnlikeHostsIdentity: the result with hosts' own links depends neither on workers nor on the mode,
// and the resolved experiment, written and read, has the same.
func TestUnlikeHostsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, e := drawUnlikeLinks(t)
		e.Workload = experiment.Workload{Program: "alltoall", Size: fabricast.Bytes(rapid.IntRange(1, 3000).Draw(t, "size"))}
		if rapid.Bool().Draw(t, "hosts of a rate") { // differ in latency alone
			for name, link := range e.Network.Links {
				link.Bandwidth = 10e9
				e.Network.Links[name] = link
			}
			e.Network.HostLink.Bandwidth, e.Network.Link.Bandwidth = 10e9, 10e9
		}
		runs := func(e *fabricast.Experiment, options ...fabricast.Option) string {
			r, err := e.Run(context.Background(), options...)
			if err != nil {
				t.Fatal(err)
			}
			return r.Hash
		}
		want := runs(e, fabricast.Workers(1))
		optimistic := *e
		optimistic.Engine.Mode = rapid.SampledFrom([]string{experiment.EngineConservative, experiment.EngineOptimistic}).
			Draw(t, "mode")
		if got := runs(&optimistic, fabricast.Workers(2)); got != want {
			t.Fatalf("hash %s with two workers, mode %s, %s with one", got, optimistic.Engine.Mode, want)
		}
		if err := e.Resolve(); err != nil {
			t.Fatal(err)
		}
		text, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := fabricast.Parse("x.yaml", string(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := runs(again, fabricast.Workers(1)); got != want {
			t.Fatalf("hash %s of the resolved experiment, want %s", got, want)
		}
	})
}

// TestHostsOfLinks: how hosts are named in network.links, and what names none.
func TestHostsOfLinks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.edges")
	text := "router s1 1 4GB/s 1ns 2\nrouter s2 2 25GB/s\ns1 s2\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	block := "{kind: hierarchy, block: {kind: file, file: " + file + "}, outer: {kind: fully-connected, routers: 2}}"
	outer := "{kind: hierarchy, block: {kind: mesh, dims: [2]}, outer: {kind: file, file: " + file + "}}"
	const full = "{kind: fully-connected, routers: 2, hosts: 3}"
	f := func(topology, links string, want ...string) {
		t.Helper()
		e, err := fabricast.Parse("x.yaml", "network: {topology: "+topology+
			", host_link: {bandwidth: 8GB/s, latency: 7ns}, links: {"+links+"}}\nworkload: {program: barrier}\n")
		if err != nil {
			t.Fatal(err)
		}
		l, err := e.Layout()
		if err != nil {
			if !strings.Contains(err.Error(), want[0]) {
				t.Errorf("%s: message lacks %q: %v", links, want[0], err)
			}
			return
		}
		got := slices.DeleteFunc(surveyed(l), func(s string) bool { return strings.HasPrefix(s, "link ") })
		if !slices.Equal(got, want) {
			t.Errorf("%s: links %q, want %q", links, got, want)
		}
	}
	f(full, "host/4: {bandwidth: 1GB/s}", "host 5 8GB/s 7ns", "host/4 1 1GB/s 7ns")
	f(full, `"host/0,2-3": {latency: 1ns}`, "host 3 8GB/s 7ns", "host/0,2-3 3 8GB/s 1ns")
	f(full, "host/0-5: {latency: 1ns}, host: {bandwidth: 2GB/s}", "host/0-5 6 2GB/s 1ns")
	f(full, "host/(1): {latency: 1ns}", "host 3 8GB/s 7ns", "host/(1) 3 8GB/s 1ns")
	f(full, "host/6: {latency: 1ns}", "found host/6, expected host/ and numbers of hosts from 0 to 5")
	f(full, "host/3-2: {latency: 1ns}", "found host/3-2, expected host/")
	f(full, "host/: {latency: 1ns}", "found host/, expected host/")
	f(full, `"host/1,1": {latency: 1ns}`, "each once")
	f(full, "host/1: {latency: 1ns}, host/0-2: {latency: 2ns}",
		"found host/1, expected one entry for the links of a host (host/0-2 names host 1, too)")
	f(full, "hosts/1: {latency: 1ns}", "or hosts such as host/0-7")

	whole := "{kind: file, file: " + file + "}"
	f(whole, "", "host 2 8GB/s 7ns", "host/4GBps 1ns 1 4GB/s 1ns", "host/25GBps 2 25GB/s 7ns")
	f(whole, "host: {bandwidth: 1GB/s}", "host 2 1GB/s 7ns", "host/4GBps 1ns 1 1GB/s 1ns", "host/25GBps 2 1GB/s 7ns")
	f(whole, "host/25GBps: {latency: 9ns}, host/s1: {latency: 3ns}",
		"host/25GBps 2 25GB/s 9ns", "host/s1 1 4GB/s 3ns", "host/s1 2 8GB/s 3ns")
	f(block, "block: {latency: 2ns}, outer: {latency: 2ns}", "block/link 2 8GB/s 2ns", "outer/link 1 8GB/s 2ns",
		"host 4 8GB/s 7ns", "host/4GBps 1ns 2 4GB/s 1ns", "host/25GBps 4 25GB/s 7ns")
	f(outer, "outer/join: {latency: 5ns}, block: {latency: 2ns}, outer/link: {latency: 1ns}",
		"block/x 5 8GB/s 2ns", "outer/link 1 8GB/s 1ns", "outer/join 2 8GB/s 5ns", "outer/join/4GBps 1ns 1 4GB/s 5ns",
		"outer/join/25GBps 2 25GB/s 5ns", "host 10 8GB/s 7ns")
}
