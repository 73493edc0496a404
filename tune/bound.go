package tune

import (
	"math/big"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/node"
	"fabricast/workload"
)

// machine is what bounds of times depend on: what is the same for all algorithms and sizes on a
// number of ranks.
type machine struct {
	overhead int64 // ps for each send and each receive
	hosts    []int32
	rates    map[int32]int64 // bytes/s of all links of a host together; nil: no bound by bytes
	mtu      int64           // payload of a packet, at least 1
	layout   *collective.Layout
}

// newMachine returns the machine of an experiment.
func newMachine(e *fabricast.Experiment) (*machine, error) {
	m := &machine{}
	r, err := experiment.Resolve(experiment.Experiment(*e))
	if err != nil {
		return nil, err
	}
	p, err := plan.Build(r)
	if err != nil {
		return nil, err
	}
	m.layout = p.Machine().World()
	if r.Network.Abstract() || r.NoTopology() {
		return m, nil // messages there have costs of other kinds
	}
	m.overhead = int64(r.Node.Overhead)
	m.hosts = p.Hosts
	m.mtu = max(int64(r.Network.Packet.MTU)-int64(r.Network.Packet.Header), 1)
	m.rates = map[int32]int64{}
	nics := p.Fabric.Graph.NICsPerHost
	for _, h := range p.Hosts {
		if m.rates[h] == 0 {
			for n := range nics {
				m.rates[h] += int64(p.Fabric.HostLink(h*int32(nics) + int32(n)).Bandwidth)
			}
		}
	}
	return m, nil
}

// bound returns a time (ps) that an algorithm cannot fall below, and the number of packets and
// messages that it sends, in one call.
//
//   - A rank spends the software overhead for each message that it sends or receives, one after the
//     other, unless an accelerator does so by itself.
//   - All that the ranks of a host send to other hosts passes the links of the host, and so does what
//     they receive from others. A link takes its time for every byte, rounded down for each packet.
//
// Nothing else makes a rank or a link faster, so neither do waits, noise or ranks that begin late.
func (m *machine) bound(kind collective.Kind, a collective.Algorithm, ranks int, bytes int64) (ps int64, work float64) {
	run := workload.Find(string(kind)).Collective(workload.Params{
		Algorithm: string(a), Size: bytes, Iterations: 1,
	})
	c := &counter{ranks: ranks, machine: m, out: map[int32]*amount{}, in: map[int32]*amount{}}
	comm := collective.At(c, m.layout)
	for c.rank = range ranks {
		c.calls = 0
		run(comm)
		ps = max(ps, c.calls*m.overhead)
	}
	for _, side := range []map[int32]*amount{c.out, c.in} {
		for host, x := range side {
			ps = max(ps, x.time(m.rates[host]))
		}
	}
	return ps, float64(c.all.messages + c.all.packets + 1)
}

// amount is what passes the links of a host.
type amount struct{ messages, packets, bytes int64 }

// time returns the least time (ps) of the amount at a rate.
func (x *amount) time(rate int64) int64 {
	if rate <= 0 {
		return 0
	}
	t := new(big.Int).Mul(big.NewInt(x.bytes), big.NewInt(1e12))
	t.Div(t, big.NewInt(rate))
	t.Sub(t, big.NewInt(x.packets))
	if t.Sign() < 0 || !t.IsInt64() {
		return 0
	}
	return t.Int64()
}

// counter is a communicator that counts what an algorithm sends and receives, rank by rank.
type counter struct {
	rank, ranks int
	machine     *machine
	calls       int64             // that take the software overhead
	out, in     map[int32]*amount // by host
	all         amount
}

func (c *counter) Rank() int          { return c.rank }
func (c *counter) Size() int          { return c.ranks }
func (c *counter) Round(k, _ int) int { return k }

func (c *counter) Isend(buf node.Buf, dst, tag int) (r node.Request) {
	c.count(c.out, buf, dst, tag)
	return r
}

func (c *counter) Irecv(buf node.Buf, src, tag int) (r node.Request) {
	c.count(c.in, buf, src, tag)
	return r
}

func (c *counter) Wait(node.Request) (s node.Status) { return s }
func (c *counter) WaitAll([]node.Request)            {}
func (c *counter) Send(buf node.Buf, dst, tag int)   { c.count(c.out, buf, dst, tag) }
func (c *counter) Recv(buf node.Buf, src, tag int) (s node.Status) {
	c.count(c.in, buf, src, tag)
	return s
}

func (c *counter) Sendrecv(send node.Buf, dst, out int, recv node.Buf, src, in int) (s node.Status) {
	c.count(c.out, send, dst, out)
	c.count(c.in, recv, src, in)
	return s
}

// count counts a message to or from another rank.
func (c *counter) count(side map[int32]*amount, buf node.Buf, other, tag int) {
	m := c.machine
	if other == c.rank || m.hosts == nil {
		return
	}
	if tag&int(node.ByDevice) == 0 {
		c.calls++
	}
	c.all.messages++
	n := int64(buf.Len())
	packets := n/m.mtu + 1
	c.all.packets += packets
	here := m.hosts[c.rank]
	if here == m.hosts[other] {
		return
	}
	x := side[here]
	if x == nil {
		x = &amount{}
		side[here] = x
	}
	x.messages++
	x.packets += packets
	x.bytes += n
}
