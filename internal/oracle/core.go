package oracle

import (
	"fmt"

	"fabricast/fabric"
	"fabricast/topology"
)

// core holds the data that all parts of an oracle share: the specification, the simulated time,
// future events, and counters.
type core struct {
	spec     fabric.Spec
	endpoint fabric.Endpoint
	now      int64 // simulated time (ps)
	events   queue
	totals   Totals
	ledger   *ledger // nil unless holders are recorded
	doors    *doors  // nil unless the specification has doors
}

// starter is a routing algorithm that computes a separate route header for every packet.
type starter interface {
	StartPacket(src, dst int32, coin uint64) (header uint64, vc uint8)
}

// perPacket returns the routing algorithm if packets of a message may have different routes, and
// nil otherwise.
func (c *core) perPacket() starter {
	if c.spec.Adaptive != nil {
		return c.spec.Adaptive
	}
	random, _ := c.spec.Routing.(starter)
	return random
}

// overtaking reports whether packets of a message may arrive out of order.
func (c *core) overtaking() bool {
	d := c.spec.Doors
	return c.perPacket() != nil || c.separate() || c.spec.Router.Injection == fabric.VCsInTurn ||
		d != nil && (d.Agent != nil || len(d.Epochs) > 0 || d.Timeout > 0)
}

// separate reports whether virtual channels are allocated before the crossbar.
func (c *core) separate() bool { return c.spec.Router.Allocation == fabric.SeparateAllocation }

// grantTime returns the time (ps) from the grant of a virtual channel to the request for the
// crossbar.
func (c *core) grantTime() int64 {
	if c.separate() {
		return int64(c.spec.Router.SwitchAllocation)
	}
	return 0
}

// buffered reports whether routers have output buffers.
func (c *core) buffered() bool { return c.spec.Router.OutputBuffer > 0 }

func (c *core) spend(credit *int64, bytes int64) {
	if *credit -= bytes; *credit < 0 {
		c.violation("a credit falls to %d bytes", *credit)
	}
}

func (c *core) earn(credit *int64, bytes int64) {
	c.earnUpTo(credit, bytes, int64(c.spec.Router.Buffer))
}

func (c *core) earnUpTo(credit *int64, bytes, buffer int64) {
	if *credit += bytes; *credit > buffer {
		c.violation("a credit rises to %d bytes, above the buffer of %d", *credit, buffer)
	}
}

// link returns the parameters of a port's link.
func (c *core) link(p *topology.Port) fabric.Link { return c.spec.Links[p.Link] }

// violation panics because the oracle or its caller has violated an invariant.
func (c *core) violation(format string, args ...any) {
	panic(fmt.Sprintf("oracle: at %d ps: ", c.now) + fmt.Sprintf(format, args...))
}
