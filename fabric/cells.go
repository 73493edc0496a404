package fabric

import (
	"iter"
	"math/bits"

	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Cell is a run of consecutive routers with their hosts, which moves between blocks as a whole. Its
// hosts have their own endpoint. If cells cannot move, each block is one cell.
type Cell struct {
	*Block // block that it belongs to at first
	all    *Cells
	number int
}

// Mover is an Endpoint that can move to another block, between two windows.
type Mover interface {
	// Move makes the endpoint use another block's transport from now on. Timers that the endpoint
	// has set, and messages that it has created or received, stay valid.
	Move(to model.Transport)
}

// Cells holds the cells of a network.
type Cells struct {
	net   *Network
	move  bool     // whether cells can move between blocks; if not, each block is a cell
	shift uint8    // binary logarithm of the number of routers of a cell; the last cell may have fewer
	hosts []uint32 // router of each host
	// by cell: its endpoint, and the other interfaces the endpoint implements (nil if it does not)
	endpoints   []model.Endpoint
	prefetchers []model.Prefetcher
	publishers  []model.ProgressPublisher
	states      []Stateful
	settler     Settler // creates endpoints of cells that move between processes; nil if none do
}

// newCells divides a network into cells, and moves the borders of its blocks to borders of cells.
func newCells(n *Network) *Cells {
	spec, cuts := &n.layout.Spec, n.parts.cuts
	blocks, routers := len(cuts)-1, spec.Graph.Routers
	if spec.Cells == 0 || blocks == 1 {
		return &Cells{net: n}
	}
	shift := bits.Len(uint((routers - 1) / max(spec.Cells, blocks)))
	count := (routers-1)>>shift + 1
	if count < blocks {
		shift, count = 0, routers
	}
	for i := 1; i < blocks; i++ {
		cell := int(cuts[i]+1<<shift>>1) >> shift
		cell = min(max(cell, int(cuts[i-1])>>shift+1), count-blocks+i)
		cuts[i] = uint32(cell << shift)
	}
	return &Cells{
		net: n, move: true, shift: uint8(shift), hosts: n.layout.Hosts,
		endpoints: make([]model.Endpoint, count), prefetchers: make([]model.Prefetcher, count),
		publishers: make([]model.ProgressPublisher, count), states: make([]Stateful, count),
	}
}

// connect makes the blocks forward the events of their hosts to the endpoints of cells.
func (c *Cells) connect() {
	if !c.move {
		return
	}
	for _, b := range c.net.Blocks() {
		b.SetEndpoint(&cellEndpoint{c, b})
	}
}

// Cells returns the network's cells.
func (n *Network) Cells() *Cells { return n.cells }

// Move reports whether cells can move between blocks.
func (c *Cells) Move() bool { return c.move }

// List returns the cells of this process in order.
func (c *Cells) List() (list []*Cell) {
	if !c.move {
		for _, b := range c.net.Blocks() {
			list = append(list, &Cell{b, c, b.nics.Index})
		}
		return list
	}
	for i := range c.endpoints {
		if block := c.blockOf(i); c.net.here(block) {
			list = append(list, &Cell{c.net.blocks[block], c, i})
		}
	}
	return list
}

// Hosts yields the cell's hosts, in ascending order.
func (c *Cell) Hosts() iter.Seq[int32] {
	if !c.all.move {
		return c.Block.Hosts()
	}
	first, end := c.all.routers(c.number)
	return c.nics.HostsOf(first, end)
}

// Number returns the cell's index among all cells of the network.
func (c *Cell) Number() int { return c.number }

// SetEndpoint installs the endpoint of the cell's hosts. If cells move, it must be a Mover. Call it
// before the first window, or in Settler.Settle.
func (c *Cell) SetEndpoint(e model.Endpoint) {
	all := c.all
	if !all.move {
		c.Block.SetEndpoint(e)
		return
	}
	all.install(c.number, e)
}

// install sets the endpoint of the hosts of a cell. It is nil if the cell belongs to another
// process.
func (c *Cells) install(cell int, e model.Endpoint) {
	c.endpoints[cell] = e
	c.prefetchers[cell], _ = e.(model.Prefetcher)
	c.publishers[cell], _ = e.(model.ProgressPublisher)
	c.states[cell], _ = e.(Stateful)
}

// routers returns the routers of a cell, first to end-1.
func (c *Cells) routers(number int) (first, end uint32) {
	first = uint32(number) << c.shift
	return first, min(first+1<<c.shift, uint32(c.net.layout.Spec.Graph.Routers))
}

// of returns the cells of a block, first to end-1.
func (c *Cells) of(b *Block) (first, end uint32) {
	return b.nics.First >> c.shift, (b.nics.First+b.nics.Count-1)>>c.shift + 1
}

// at returns the cell of a host.
func (c *Cells) at(host int32) uint32 { return c.hosts[host] >> c.shift }

// cellEndpoint is the endpoint of a block whose cells have their own endpoints.
type cellEndpoint struct {
	*Cells
	b *Block
}

// Wake implements Endpoint.
func (e *cellEndpoint) Wake(host int32, now int64) { e.endpoints[e.at(host)].Wake(host, now) }

// Delivered implements Endpoint.
func (e *cellEndpoint) Delivered(host int32, id model.MsgID, at int64) {
	e.endpoints[e.at(host)].Delivered(host, id, at)
}

// Fetched implements Endpoint.
func (e *cellEndpoint) Fetched(host int32, request uint32, at int64) {
	e.endpoints[e.at(host)].Fetched(host, request, at)
}

// PublishProgress implements ProgressPublisher.
func (e *cellEndpoint) PublishProgress() {
	first, end := e.of(e.b)
	for _, t := range e.publishers[first:end] {
		if t != nil {
			t.PublishProgress()
		}
	}
}

// State implements Stateful.
func (e *cellEndpoint) State(v *snapshot.Visitor) {
	first, end := e.of(e.b)
	for _, s := range e.states[first:end] {
		if s != nil {
			s.State(v)
		}
	}
}

// PrefetchHost implements Prefetcher.
func (e *cellEndpoint) PrefetchHost(host int32) {
	if p := e.prefetchers[e.at(host)]; p != nil {
		p.PrefetchHost(host)
	}
}

// PrefetchWork implements Prefetcher.
func (e *cellEndpoint) PrefetchWork(host int32) {
	if p := e.prefetchers[e.at(host)]; p != nil {
		p.PrefetchWork(host)
	}
}

// PrefetchMatch implements Prefetcher.
func (e *cellEndpoint) PrefetchMatch(host int32) {
	if p := e.prefetchers[e.at(host)]; p != nil {
		p.PrefetchMatch(host)
	}
}

// PrefetchDelivery implements Prefetcher.
func (e *cellEndpoint) PrefetchDelivery(host int32) {
	if p := e.prefetchers[e.at(host)]; p != nil {
		p.PrefetchDelivery(host)
	}
}

// PrefetchQueue implements Prefetcher.
func (e *cellEndpoint) PrefetchQueue(host int32, id model.MsgID) {
	if p := e.prefetchers[e.at(host)]; p != nil {
		p.PrefetchQueue(host, id)
	}
}

// PrefetchReceive implements Prefetcher.
func (e *cellEndpoint) PrefetchReceive(host int32, id model.MsgID) {
	if p := e.prefetchers[e.at(host)]; p != nil {
		p.PrefetchReceive(host, id)
	}
}

// PrefetchFetched implements Prefetcher.
func (e *cellEndpoint) PrefetchFetched(host int32, request uint32) {
	if p := e.prefetchers[e.at(host)]; p != nil {
		p.PrefetchFetched(host, request)
	}
}
