package routing_test

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast/routing"
	"fabricast/topology"
)

// queueless is a router without queues.
type queueless struct{}

func (queueless) Queue(uint16, uint16) int64    { return 0 }
func (queueless) Queues([]routing.Candidate)    {}
func (queueless) PortQueue(uint16) (n int64)    { return 0 }
func (queueless) Published(int32, uint16) int64 { return 0 }

// At every hop in a ring a packet is offered all channels of its class, those that are shared among
// them, and of these alone it is told that they are no escape channels.
func TestSharedChannelsAreOfferedToBothClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(2, 9), 1, 3).Draw(t, "dims")
		torus, err := topology.NewTorus(dims, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		one := rapid.IntRange(1, 3).Draw(t, "class 1")
		shared := rapid.IntRange(1, 3).Draw(t, "shared")
		vcs := one + shared + rapid.IntRange(1, 3).Draw(t, "class 0")
		scheme := routing.Scheme{
			Dateline: routing.Dateline(rapid.IntRange(0, 2).Draw(t, "dateline")),
			Shared:   shared,
		}
		made, err := routing.NewDORScheme(torus, vcs, routing.TieSplit, one, routing.ChoiceQueue, scheme)
		if err != nil {
			t.Fatal(err)
		}
		a, g := made.(routing.Adaptive), torus.Graph()
		if _, err := routing.NewDORScheme(torus, vcs, routing.TieSplit, one, routing.ChoicePacket, scheme); err == nil {
			t.Error("shared channels without a choice at every router")
		}
		if g.Hosts < 2 {
			return
		}
		src := rapid.Int32Range(0, int32(g.Hosts-1)).Draw(t, "src")
		dst := (src + rapid.Int32Range(1, int32(g.Hosts-1)).Draw(t, "further")) % int32(g.Hosts)
		header, _ := a.StartPacket(src, dst, rapid.Uint64().Draw(t, "coin"))
		for router := src; router != dst; {
			list := a.Candidates(router, header, queueless{}, nil)
			first, end := uint16(vcs), uint16(0)
			for _, c := range list {
				first, end = min(first, c.VC), max(end, c.VC+1)
				if common := int(c.VC) >= vcs-one-shared && int(c.VC) < vcs-one; c.Escape == common ||
					c.Port != list[0].Port {
					t.Errorf(
						"candidate %+v of %d, the last %d, and %d shared before them",
						c, vcs, one, shared,
					)
				}
			}
			low := first == 0 && int(end) == vcs-one
			high := int(first) == vcs-one-shared && int(end) == vcs
			if int(end-first) != len(list) || !low && !high {
				t.Errorf("router %d: channels %d to %d in %d candidates", router, first, end, len(list))
			}
			pick := list[rapid.IntRange(0, len(list)-1).Draw(t, "pick")]
			header = pick.Header
			router = int32(g.PeerRouter(int(g.PortBase[router]) + int(pick.Port)))
		}
	})
}

// A packet that has taken an escape channel is offered nothing else on the rest of its way.
func TestStayingInEscapeChannels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, err := drawSpec(t).Build(1)
		if err != nil {
			t.Skip(err)
		}
		g := net.Graph()
		vcs := rapid.IntRange(2, routing.MaxVCs).Draw(t, "VCs")
		made, err := routing.NewMinimalAdaptiveWith(net, vcs, routing.StayInEscapes)
		if err != nil || g.Hosts < 2 {
			return
		}
		src := rapid.Int32Range(0, int32(g.Hosts-1)).Draw(t, "src")
		dst := (src + rapid.Int32Range(1, int32(g.Hosts-1)).Draw(t, "further")) % int32(g.Hosts)
		header, _ := made.StartPacket(src, dst, rapid.Uint64().Draw(t, "coin"))
		end := g.Ports[g.NICPort[dst]].Router
		escaped := false
		for router := g.Ports[g.NICPort[src]].Router; router != end; {
			list := made.Candidates(router, header, queueless{}, nil)
			if escaped && (len(list) != 1 || !list[0].Escape) || !escaped && len(list) < 2 {
				t.Fatalf("router %d, in an escape channel %t: %+v", router, escaped, list)
			}
			pick := list[rapid.IntRange(0, len(list)-1).Draw(t, "pick")]
			escaped = escaped || pick.Escape
			header = pick.Header
			router = int32(g.PeerRouter(int(g.PortBase[router]) + int(pick.Port)))
		}
	})
}
