package fabric_test

import (
	"sync/atomic"
	"syscall"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// extreme is the network of NSIM's extreme-scale experiment in other sizes.
func extreme(tb testing.TB, dims ...int) fabric.Spec {
	top, err := topology.NewTorus(dims, nil, 1)
	if err != nil {
		tb.Fatal(err)
	}
	dor, err := routing.NewDOR(top, 2, routing.TieSplit)
	if err != nil {
		tb.Fatal(err)
	}
	const ns = 1000
	link := fabric.Link{Bandwidth: 8e9, Latency: 100 * ns}
	return fabric.Spec{
		Graph: top.Graph(), Routing: dor, Links: []fabric.Link{link, link},
		Router: fabric.Router{
			Routing: 2 * ns, VCAllocation: 2 * ns, SwitchAllocation: 2 * ns, Latency: 140 * ns,
			Bandwidth: 8e9, VCs: 2, Buffer: 8192,
		},
		Packet: fabric.Packet{MTU: 256, Flit: 16}, DMA: 10e9,
	}
}

// shifts is an endpoint in which every host sends a message to the host `distance` further
// on in each step, and goes on to the next step when its own message of the step has come.
type shifts struct {
	block    *fabric.Block
	hosts    int32
	size     int64
	distance func(host int32, step int) int32
	steps    int
	step     []int // by host
}

func (s *shifts) Wake(host int32, now int64) {
	step := s.step[host]
	id, m := s.block.NewMessage()
	m.Src, m.Dst = host, (host+s.distance(host, step))%s.hosts
	m.Size, m.Post, m.Tag = s.size, now, int32(step)
	s.block.Post(id)
}

func (s *shifts) Fetched(int32, uint32, int64) {}

func (s *shifts) Delivered(host int32, id fabric.MsgID, at int64) {
	s.block.Release(id)
	if s.step[host]++; s.step[host] < s.steps {
		s.block.SetTimer(host, at)
	}
}

func benchmarkShifts(
	b *testing.B,
	spec fabric.Spec,
	size int64,
	steps, workers int,
	distance func(host int32, step int) int32,
) {
	var hops, packets uint64
	var used int64
	for b.Loop() {
		n, err := fabric.New(spec, workers)
		if err != nil {
			b.Fatal(err)
		}
		hosts := int32(spec.Graph.Hosts)
		step := make([]int, hosts)
		var blocks []engine.Block
		for _, blk := range n.Blocks() {
			blk.SetEndpoint(&shifts{blk, hosts, size, distance, steps, step})
			for h := range blk.Hosts() {
				blk.SetTimer(h, 0)
			}
			blocks = append(blocks, blk)
		}
		before := cpuTime()
		if _, err := engine.Run(blocks, workers, new(atomic.Bool)); err != nil {
			b.Fatal(err)
		}
		used += cpuTime() - before
		if err := n.Verify(); err != nil {
			b.Fatal(err)
		}
		hops += n.Totals().Hops
		packets += n.Totals().Packets
		n.Close()
	}
	b.ReportMetric(float64(used)/float64(hops), "cpu-ns/hop")
	b.ReportMetric(float64(hops)/float64(packets), "hops/packet")
}

func cpuTime() int64 {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		panic(err)
	}
	return ru.Utime.Nano() + ru.Stime.Nano()
}

func bruck(_ int32, step int) int32 { return 1 << step }

// scattered sends every message of a step to a place of its own, a permutation
// without order.
func scattered(host int32, step int) int32 {
	x := uint32(step)*2654435761 + 12345
	return int32((uint32(host)*(x|1)+x)>>3) & 0x7fffffff
}

func BenchmarkBruck4K(b *testing.B) {
	benchmarkShifts(b, extreme(b, 16, 16, 16), 131072, 12, 1, bruck)
}

func BenchmarkBruck4KTwoWorkers(b *testing.B) {
	benchmarkShifts(b, extreme(b, 16, 16, 16), 131072, 12, 2, bruck)
}

func BenchmarkBruck64KStep(b *testing.B) {
	benchmarkShifts(b, extreme(b, 64, 32, 32), 131072/8, 16, 1, bruck)
}

func BenchmarkScattered64K(b *testing.B) {
	benchmarkShifts(b, extreme(b, 64, 32, 32), 256*16, 4, 1, scattered)
}

func BenchmarkBruck512(b *testing.B) {
	benchmarkShifts(b, extreme(b, 8, 8, 8), 131072, 9, 1, bruck)
}

func BenchmarkBruck64(b *testing.B) {
	benchmarkShifts(b, extreme(b, 4, 4, 4), 131072, 6, 1, bruck)
}

func BenchmarkNeighbour64(b *testing.B) {
	benchmarkShifts(b, extreme(b, 4, 4, 4), 131072, 6, 1, func(int32, int) int32 { return 1 })
}

func BenchmarkNeighbour4K(b *testing.B) {
	benchmarkShifts(b, extreme(b, 16, 16, 16), 131072, 2, 1, func(int32, int) int32 { return 1 })
}

func BenchmarkShort4K(b *testing.B) {
	benchmarkShifts(b, extreme(b, 16, 16, 16), 4096, 12, 1, bruck)
}

// BenchmarkSparse1K has windows that are short compared to a packet: a router does
// about one thing in each.
func BenchmarkSparse1K(b *testing.B) {
	spec := extreme(b, 16, 8, 8)
	const ns = 1000
	link := fabric.Link{Bandwidth: 4e9, Latency: 10 * ns}
	spec.Links = []fabric.Link{link, link}
	spec.Router.Routing, spec.Router.VCAllocation, spec.Router.SwitchAllocation, spec.Router.SwitchTraversal = 4*ns, 4*ns, 4*ns, 4*ns
	spec.Router.Latency = 78 * ns
	spec.Packet = fabric.Packet{MTU: 2048, Header: 32, Flit: 16}
	spec.DMA = 16e9
	benchmarkShifts(b, spec, 16128, 16, 1, func(_ int32, step int) int32 { return int32(37*step + 1) })
}
