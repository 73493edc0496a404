package ethernet

import (
	"errors"
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/ethernet/control"
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/topology"
)

// flow is a flow of a test.
type flow struct {
	src, dst    int32
	size, start int64
	class       uint8
}

// sending is the endpoint of a block in tests: it posts flows, and notes when they are complete.
type sending struct {
	b     *Block
	flows []flow
	ended []int64 // when each was acknowledged (ps)
	here  map[int32][]int
	got   []int64 // when each was received (ps)
}

func (s *sending) Wake(host int32, now int64) {
	next := fabric.Forever
	for _, i := range s.here[host] {
		f := s.flows[i]
		if f.start == now {
			id, m := s.b.NewMessage()
			m.Src, m.Dst, m.Size, m.Post, m.Sent, m.Request = f.src, f.dst, f.size, now, now, uint32(i+1)
			m.Tag, m.Class = int32(i), f.class
			s.b.Post(id)
		} else if f.start > now {
			next = min(next, f.start)
		}
	}
	s.b.SetTimer(host, next)
}

func (s *sending) Delivered(_ int32, id fabric.MsgID, at int64) {
	s.got[s.b.Message(id).Tag] = at
	s.b.Release(id)
}

func (s *sending) Fetched(_ int32, request uint32, at int64) { s.ended[request-1] = at }

// simulate runs flows on a network, and returns when each was complete at its sender and at its
// receiver; nil if packets are lost in step for ever.
func simulate(t testing.TB, spec Spec, flows []flow, workers int) (n *Network, ended, got []int64) {
	t.Helper()
	return simulateOn(t, spec, flows, workers, func(*Network) {})
}

// simulateOn is simulate on a network that prepare gets before the first window.
func simulateOn(
	t testing.TB, spec Spec, flows []flow, workers int, prepare func(*Network),
) (n *Network, ended, got []int64) {
	t.Helper()
	n, err := New(spec, workers)
	if err != nil {
		t.Fatal(err)
	}
	prepare(n)
	blocks, ended, got := inhabit(n, flows)
	var stop atomic.Bool
	if _, err := engine.Run(blocks, workers, &stop); err != nil {
		if l := (*LossError)(nil); errors.As(err, &l) {
			return n, nil, nil
		}
		if f := (*engine.Fault)(nil); errors.As(err, &f) {
			t.Fatalf("%v\n%s", err, f.Stack)
		}
		t.Fatal(err)
	}
	if d := n.Deadlock(); d != nil && (d.Pauses || len(n.downAtEnd) == 0) {
		if !spec.Pauses() || len(d.Cycle) < 2 {
			t.Fatalf("deadlock without a cycle of pauses: %v", d)
		}
		return n, ended, got
	}
	if err := n.Verify(); err != nil {
		t.Fatal(err)
	}
	return n, ended, got
}

// inhabit gives the blocks of a network endpoints that post flows, and note when these are complete.
func inhabit(n *Network, flows []flow) (blocks []engine.Block, ended, got []int64) {
	ended, got = make([]int64, len(flows)), make([]int64, len(flows))
	for _, b := range n.Blocks() {
		s := &sending{b: b, flows: flows, ended: ended, got: got, here: map[int32][]int{}}
		b.SetEndpoint(s)
		for host := range b.Hosts() {
			first := fabric.Forever
			for i, f := range flows {
				if f.src/int32(n.Graph.NICsPerHost) == host {
					s.here[host] = append(s.here[host], i)
					first = min(first, f.start)
				}
			}
			b.SetTimer(host, first)
		}
		blocks = append(blocks, b)
	}
	return blocks, ended, got
}

// spraying chooses paths in turn.
type spraying struct{}

func (spraying) Words() int                    { return 1 }
func (spraying) Start(s []uint64, seed uint64) { s[0] = seed }
func (spraying) Next(s []uint64, _ int64) uint16 {
	s[0]++
	return uint16(s[0] & 127)
}
func (spraying) Acked([]uint64, uint16, bool, int64) {}
func (spraying) Cut([]uint64, uint16, int64)         {}
func (spraying) Expired([]uint64, uint16, int64)     {}

// ultra returns the network of Ultra Ethernet's simulator: a fat tree of 100 Gb/s, 1 us a link, and
// packets of 4150 B of which 64 B are a header.
func ultra(t testing.TB, radix int, a control.Algorithm) Spec {
	t.Helper()
	f := topology.FatTreeSpec{Radix: radix, Levels: 3, Hosts: radix / 2}
	top, err := f.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	links := make([]fabric.Link, len(top.LinkClasses()))
	for i := range links {
		links[i] = fabric.Link{Bandwidth: 12_500_000_000, Latency: 1_000_000}
	}
	return Spec{
		Graph: top.Graph(), Links: links,
		Switch: Switch{
			HeadersInRow: 100, Trims: true,
			ECN: ECN{On: true, Most: 1, Dequeue: true, LastHop: true},
		},
		Packet: Packet{MTU: 4150, Header: 64, Control: 64},
		NIC: NIC{
			Control: a, Paths: spraying{}, AckEvery: 16384,
			QueuePairs: 1, DataRatio: 11, Credit: Credit{Quantum: 256, Grant: 16384, Share: 0.99},
		},
	}
}

// kindOf returns an algorithm with its default options.
func kindOf(t testing.TB, o control.Spec) control.Algorithm {
	t.Helper()
	return control.Make(o)
}

// TestOneFlow: a flow of 2,000,000 B over six links takes 176.20 us until its last acknowledgement:
// the first packet 6 x (0.332 + 1) us, the last 488 x 0.332 + 0.1608 us later, the acknowledgement
// 6 x (0.00512 + 1) us.
func TestOneFlow(t *testing.T) {
	spec := ultra(t, 16, kindOf(t, &control.NSCCOptions{}))
	_, ended, got := simulate(t, spec, []flow{{0, 1023, 2_000_000, 0, 0}}, 1)
	const received = 6*1_332_000 + 488*332_000 + 160_800
	const acknowledged = received + 6*1_005_120
	if got[0] != received || ended[0] != acknowledged {
		t.Errorf("received after %d ps and acknowledged after %d, expected %d and %d", got[0], ended[0],
			received, acknowledged)
	}
}

// TestSmallHeadroom: without retransmission, a packet that does not fit into the headroom ends the run by
// an error that names the router; with derived headrooms none is lost.
func TestSmallHeadroom(t *testing.T) {
	spec := ultra(t, 4, kindOf(t, &control.NoneOptions{}))
	spec.Switch = Switch{Shared: &Shared{Size: 1 << 20, Alpha: units.Whole >> 10, Pauses: true}}
	spec.NIC.Timeout = -1
	var incast []flow
	for src := int32(4); src < 16; src++ {
		incast = append(incast, flow{src, 0, 200_000, 0, 0})
	}
	n, ended, _ := simulate(t, spec, incast, 2)
	if c := n.Counts(); ended == nil || c.Dropped > 0 || c.Pauses == 0 {
		t.Errorf("with derived headrooms: %+v", c)
	}
	spec.Switch.Shared.Headroom = spec.Packet.MTU
	if _, ended, _ := simulate(t, spec, incast, 2); ended != nil {
		t.Error("headrooms of one packet suffice")
	}
}
