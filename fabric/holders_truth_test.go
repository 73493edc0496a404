package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/internal/holders"
	"fabricast/internal/oracle"
	"fabricast/internal/oracle/experiments"
	"fabricast/internal/units"
	"fabricast/topology"
)

// tree is a tree of routers whose links carry a byte per nanosecond with a latency of 100 ns between routers.
// Nothing else takes time, but for a picosecond a byte from and to memory.
func tree(parents, hosts []int32, buffer units.Bytes) *experiments.Experiment {
	link := fabric.Link{Bandwidth: 1_000_000_000, Latency: 100_000}
	e := &experiments.Experiment{
		Tree: &experiments.Tree{Parents: parents, Hosts: hosts, Classes: make([]uint16, len(parents)), Trunk: link},
		NICs: 1, Link: link, HostLink: fabric.Link{Bandwidth: 1_000_000_000}, DMA: 1_000_000_000_000,
	}
	e.Router.Bandwidth, e.Router.VCs, e.Router.Buffer = 1_000_000_000, 1, buffer
	e.Packet.Flit, e.Packet.MTU = 8, 1000
	return e
}

func sends(src, dst int32, size, at int64) experiments.Message {
	return experiments.Message{Src: src, Dst: dst, Size: size, Cause: experiments.AtStart, Delay: at}
}

// numberOf returns the number of a message that is posted at the start.
func numberOf(e *experiments.Experiment, i int) int64 {
	m := &e.Messages[i]
	return fabric.MessageNumber(m.Src, m.Dst, int32(i), m.Size, m.Delay)
}

// linkBetween returns the link from one router to another.
func linkBetween(t *testing.T, e *experiments.Experiment, from, to int32) int32 {
	t.Helper()
	spec, err := e.Spec()
	if err != nil {
		t.Fatal(err)
	}
	g := spec.Graph
	for i, p := range g.Ports {
		if p.Router == from && p.Peer != topology.Unconnected && g.Ports[p.Peer].Router == to {
			return holders.Links(&spec)[i]
		}
	}
	t.Fatalf("no link from router %d to %d", from, to)
	return 0
}

func heldIn(t *testing.T, e *experiments.Experiment) map[oracle.Held]int64 {
	t.Helper()
	if text, skips := heldDifferently(e, 2, 1, 1, fabric.New); text != "" || skips {
		t.Fatal(text, skips)
	}
	held, _, err := holdersOf(e, 1, 1, 1<<20, fabric.New)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// TestHoldersOfASharedLink: a packet of 1000 bytes starts on a link at 51 ns and takes 1000 ns. Another one is
// ready for the link at 101 ns.
func TestHoldersOfASharedLink(t *testing.T) {
	e := tree([]int32{0, 0, 1}, []int32{1, 1, 1}, 4000)
	e.Messages = []experiments.Message{sends(0, 2, 1000, 0), sends(1, 2, 1000, 50_000)}
	held, link := heldIn(t, e), linkBetween(t, e, 1, 2)
	want := oracle.Held{
		Message: numberOf(e, 0), Holder: numberOf(e, 1), Part: causes.Output, Link: link, HolderLink: link,
	}
	if len(held) != 1 || held[want] != 950_000 {
		t.Errorf("got %v, want 950 ns of %+v", held, want)
	}
}

// TestPingPongWaitsForNobody: only one message is under way at a time.
func TestPingPongWaitsForNobody(t *testing.T) {
	e := tree([]int32{0, 0, 1}, []int32{1, 1, 1}, 4000)
	e.Messages = []experiments.Message{
		sends(0, 2, 3000, 0),
		{Src: 2, Dst: 0, Size: 3000, Cause: experiments.OnDelivery},
		{Src: 0, Dst: 2, Size: 1, Cause: experiments.OnDelivery, Of: 1},
	}
	if held := heldIn(t, e); len(held) != 0 {
		t.Errorf("messages waited: %v", held)
	}
}

// TestRootOfACongestionTree: eight hosts, each at its own router, send to one host through a router in the
// centre. A message from the router of the first of them to another host, through the same two buffers, waits
// behind their packets. The root is the link to the host at which all meet, although the message never takes it.
func TestRootOfACongestionTree(t *testing.T) {
	parents, hosts := make([]int32, 11), []int32{0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	e := tree(parents, hosts, 2000)
	const target, bystander = 9, 10 // hosts
	for sender := range int32(9) {
		if sender != 1 {
			e.Messages = append(e.Messages, sends(sender, target, 20_000, 0))
		}
	}
	e.Messages = append(e.Messages, sends(1, bystander, 1000, 30_000_000))
	victim := len(e.Messages) - 1
	held, root, rest := heldIn(t, e), int64(0), int64(0)
	incast := map[int64]bool{}
	for i := range victim {
		incast[numberOf(e, i)] = true
	}
	for key, time := range held {
		switch {
		case key.Message != numberOf(e, victim):
		case key.HolderLink == linkBetween(t, e, 0, 9) && incast[key.Holder]:
			root += time
		default:
			rest += time
		}
	}
	if root < 9*rest || root < 1_000_000 {
		t.Errorf("the message waits %d ps for the root, and %d ps for others: %v", root, rest, held)
	}
}
