package ethernet

import (
	"cmp"
	"maps"
	"slices"

	"fabricast/topology"
)

// Pausing is what a port of a switch has made its sender pause, of a class, because of packets that
// wanted to leave through another port of the switch.
type Pausing struct {
	In    int32 // port through which the packets came that were too many; its peer or NIC was paused
	Out   int32 // port for which the packet was that made the switch pause
	Class uint8
	PauseSums
}

// PauseSums are sums over pauses. A pause lasts from when the switch sends the frame until it sends
// that which ends it; one without an end lasts until the time of which is asked.
type PauseSums struct {
	Count, Time int64 // ps
	// PassedOn and PassedTime are those of pauses that began while Out was paused itself, for the class.
	PassedOn, PassedTime int64
	First, Longest       int64 // when the first one began, and how long the longest was (ps)
}

// cause identifies a Pausing in its block.
type cause struct {
	in, out int32
	class   uint8
}

// pausedFor is why a port pauses its sender.
type pausedFor struct {
	out    int32
	passed bool // the port out was paused itself
}

// because records why a port begins to pause its sender.
func (b *Block) because(in *ingress, k *packet, out int32) {
	in.why = pausedFor{out, b.net.ports[out].queues[k.class].paused}
}

// pausedUntil counts a pause that ends now.
func (b *Block) pausedUntil(in *ingress, port int32, class uint8) {
	key := cause{port, in.why.out, class}
	s := b.pauses[key]
	s.add(in, b.now)
	b.pauses[key] = s
}

// add adds a pause that lasts until a time (ps).
func (s *PauseSums) add(in *ingress, until int64) {
	lasted := until - in.since
	if s.Count == 0 || in.since < s.First {
		s.First = in.since
	}
	s.Count++
	s.Time += lasted
	s.Longest = max(s.Longest, lasted)
	if in.why.passed {
		s.PassedOn++
		s.PassedTime += lasted
	}
}

// Pausings returns who has paused whom until a time (ps), in order of the ports In and Out and the
// class. It must not be called while blocks run.
func (n *Network) Pausings(until int64) (list []Pausing) {
	sums := map[cause]PauseSums{}
	for _, b := range n.blocks {
		maps.Copy(sums, b.pauses) // a port is of one block
	}
	for i := range n.ports {
		for class := range n.ports[i].in {
			if in := &n.ports[i].in[class]; in.pausing {
				key := cause{int32(i), in.why.out, uint8(class)}
				s := sums[key]
				s.add(in, max(until, in.since))
				sums[key] = s
			}
		}
	}
	for key, s := range sums {
		list = append(list, Pausing{key.in, key.out, key.class, s})
	}
	slices.SortFunc(list, func(a, b Pausing) int {
		return compareCauses(cause{a.In, a.Out, a.Class}, cause{b.In, b.Out, b.Class})
	})
	return list
}

func compareCauses(a, b cause) int {
	return cmp.Or(cmp.Compare(a.in, b.in), cmp.Compare(a.out, b.out), cmp.Compare(a.class, b.class))
}

// LinkNumbers returns the number of the link out of each port (fabric.LinkBin), -1 for ports that are
// not in use, and that of the first NIC.
func LinkNumbers(g *topology.Graph) (links []int32, nics int32) {
	links = make([]int32, len(g.Ports))
	for i := range g.Ports {
		links[i] = -1
		if p := &g.Ports[i]; p.Peer != topology.Unconnected || p.NIC != topology.Unconnected {
			links[i] = nics
			nics++
		}
	}
	return links, nics
}

// PausedLink returns the number of the link whose sender a Pausing has paused.
func (p *Pausing) PausedLink(g *topology.Graph, links []int32, nics int32) int32 {
	if nic := g.Ports[p.In].NIC; nic >= 0 {
		return nics + nic
	}
	return links[g.Ports[p.In].Peer]
}
