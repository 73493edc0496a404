package fabric

import (
	"math/bits"

	"fabricast/internal/offheap"
	"fabricast/internal/processes"
	"fabricast/topology"
)

// Network is a simulated network cut into blocks. Its user must call Close.
type Network struct {
	// in the user's numbering; layout.spec.Graph is in the partition's order
	graph     *topology.Graph
	parts     partition
	layout    *layout
	state     *state
	general   *generalState // on the general path; else nil
	doors     *doorState    // nil unless the Spec has some
	blocks    []*Block
	indexBits uint32           // of a message within its block
	messages  []array[Message] // by block
	extras    [][]Extra        // by block, of the messages at the same places
	births    []array[uint32]  // by block, of the same; nil unless cells move between processes
	nics      *nicState
	across    *across    // nil unless the run has several processes
	packets   packetPool // of all blocks, on the fast path
	places    uint32     // of a block there
	parcels   *parcels   // of all blocks, on the general path
	cells     *Cells     // that have an endpoint each
	arena     offheap.Arena
	growing   offheap.Arena // of what is used from the beginning of each block's part on
}

// New builds the network of a Spec in the given number of blocks (at most one a router). It returns
// an error if the model cannot represent the Spec, or if memory is short.
func New(spec Spec, blocks int) (*Network, error) {
	return build(spec, blocks, needsGeneral(&spec), nil)
}

// build builds a network for the fast path or the general path. group is nil for one process.
func build(spec Spec, blocks int, general bool, group processes.Group) (*Network, error) {
	blocks = max(1, min(blocks, spec.Graph.Routers))
	n := &Network{graph: spec.Graph, parts: newPartition(spec.Graph, blocks, spec.Cut)}
	large := isLarge(&spec, blocks)
	n.arena.Large, n.growing.Large, n.growing.Growing = large, large, true
	spec, err := openDoors(spec)
	if err != nil {
		return nil, err
	}
	user := spec.Graph
	spec.Graph = n.parts.apply(user)
	l, err := newLayout(spec, &n.arena)
	if err != nil {
		n.Close()
		return nil, err
	}
	n.layout = l
	l.names, l.places = n.parts.order, n.parts.place
	l.expandEvents(user, func(port int) int { return n.parts.port(user, l.spec.Graph, port) })
	l.findAgents()
	n.indexBits = uint32(31 - bits.Len(uint(blocks-1)))
	if n.across = newAcross(n, blocks, group); n.across != nil {
		cuts, routers := n.parts.cuts, l.spec.Graph.Routers
		n.arena.UsePart(int(cuts[n.across.first]), int(cuts[n.across.end]), routers)
	}
	if err := n.build(blocks, general); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// largeLanes is the number of VCs of a block from which on all arrays get huge pages. A block then has
// some megabytes of state, and random access to it on small pages costs a tenth of the time.
const largeLanes = 1 << 14

// isLarge reports whether blocks have so many VCs that their arrays should be in huge pages.
func isLarge(s *Spec, blocks int) bool {
	return (len(s.Graph.Ports)+len(s.Graph.NICPort))*s.Router.VCs/blocks >= largeLanes
}

func (n *Network) build(blocks int, general bool) error {
	l := n.layout
	lanes := int(l.nicLanes) + len(l.spec.Graph.NICPort)*int(l.vcs)
	cuts := n.parts.cuts
	n.cells = newCells(n)
	ghosts := n.countGhosts(cuts)
	if n.cells.move {
		ghosts = int(l.nicPorts * l.vcs) // wherever the cuts may come to lie
	}
	var err error
	if n.state, err = newState(&n.arena, l, lanes+ghosts); err != nil {
		return err
	}
	if err := reserveDoors(n); err != nil {
		return err
	}
	if n.nics, err = newNICState(&n.arena, l, n.state); err != nil {
		return err
	}
	if general {
		if n.general, err = newGeneralState(&n.arena, l, n.routerHere); err != nil {
			return err
		}
	}
	if err := n.reserve(lanes + ghosts); err != nil {
		return err
	}
	n.blocks = make([]*Block, blocks)
	n.messages = make([]array[Message], blocks)
	n.extras = make([][]Extra, blocks)
	for i := range n.blocks {
		if !n.here(i) {
			n.blocks[i] = n.newElsewhere(i)
			if err := n.reserveMessages(n.blocks[i]); err != nil {
				return err
			}
			continue
		}
		b := n.newBlock(i)
		n.blocks[i] = b
		if err := n.reserveMessages(b); err != nil {
			return err
		}
	}
	if n.general == nil {
		n.connect()
		borders{n}.separate()
	}
	n.cells.connect()
	return nil
}

// newBlock returns a block with its parts, without room for messages.
func (n *Network) newBlock(index int) *Block {
	b := &Block{net: n, arena: offheap.Arena{Growing: true, Large: n.growing.Large}}
	b.saver.of = b
	giveBack := func(c *creditMail) { b.model.takeCredit(c) }
	if n.general != nil {
		b.nics = &nics{}
		b.place(index, len(n.blocks))
		b.nics.begin(n.state, n.nics, giveBack)
		b.general = newGeneral(b.nics, n.general, n.parcels, n.parcels.of(index))
		b.general.doors = newDoors(b.general, n.doors, n.parcels.riders)
		b.model = b.general
		return b
	}
	b.fast = &fast{}
	b.nics, b.model = &b.fast.nics, b.fast
	b.place(index, len(n.blocks))
	b.fast.begin(n.state, n.nics, giveBack)
	b.fast.lanes.pool = n.packets.of(index, n.places)
	return b
}

// place gives a block its routers, its table of messages, and boxes for so many other blocks.
func (b *Block) place(index, boxes int) {
	n := b.net
	cuts, own := n.parts.cuts, span{0, uint32(len(n.blocks))}
	if n.across != nil {
		own = span{uint32(n.across.first), uint32(n.across.end)}
	}
	b.nics.place(n.layout, index, own, cuts[index], cuts[index+1]-cuts[index])
	b.nics.messages, b.nics.mail = n.messageTable(index), newOutbox(cuts, boxes)
}

// messageTable returns the table of a block's messages.
func (n *Network) messageTable(block int) messageTable {
	return newMessageTable(n.messages, n.extras, block, n.indexBits)
}

// reserve allocates room for the packets of all blocks, with so many FIFOs on the fast path. Blocks of
// other processes have room, too, of which no memory is used: so a packet has the same name however
// blocks are divided among processes, which checkpoints need.
func (n *Network) reserve(fifos int) (err error) {
	blocks := len(n.parts.cuts) - 1
	n.growing.Parts = blocks
	if n.general != nil {
		n.parcels, err = newParcels(&n.growing, n.layout, blocks)
		return err
	}
	n.packets, n.places, err = newPacketPool(&n.growing, n.layout, fifos, blocks)
	return err
}

func (n *Network) blockOf(router uint32) int {
	lo, hi := 0, len(n.blocks)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; n.blocks[mid].nics.first <= router {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// countGhosts returns the number of lanes whose other end lies in another block.
func (n *Network) countGhosts(cuts []uint32) int {
	count := 0
	for p, port := range n.layout.spec.Graph.Ports {
		if peer := n.layout.wiring(uint32(p)).router; peer >= 0 &&
			blockAt(cuts, uint32(peer)) != blockAt(cuts, uint32(port.Router)) {
			count += int(n.layout.vcs)
		}
	}
	return count
}

// connect sets, for every lane, where it leads, the credit it has there, and the FIFO from which it
// pulls more credit.
func (n *Network) connect() {
	l := n.layout
	for p := range l.nicPorts {
		lp := l.wiring(p)
		if !n.routerHere(uint32(l.spec.Graph.Ports[p].Router)) {
			continue
		}
		port := n.state.ports.at(uint32(p))
		port.router, port.down = lp.router, lp.down
		for v := range l.vcs {
			at := n.state.lanes.at(uint32(p)*l.vcs + v)
			r := &l.routers[l.spec.Graph.Ports[p].Router]
			at.number, at.class = uint16(uint32(p)*l.vcs+v-r.base), uint8(lp.class)
			at.way = drained
			if lp.router == unconnected {
				continue
			}
			at.credit = l.capacity
			if lp.router < 0 {
				at.way |= host
			}
		}
	}
	for nic, port := range l.spec.Graph.NICPort {
		if !n.routerHere(uint32(l.spec.Graph.Ports[port].Router)) {
			continue
		}
		at := n.state.ports.at(l.nicPorts + uint32(nic))
		at.router, at.down = l.spec.Graph.Ports[port].Router, uint32(port)*l.vcs
		for v := range l.vcs {
			n.state.lanes.at(l.nicLanes + uint32(nic)*l.vcs + v).credit = l.capacity
		}
	}
}

// Blocks returns the network's blocks, of several processes those that this one simulates.
func (n *Network) Blocks() []*Block {
	if n.across != nil {
		return n.blocks[n.across.first:n.across.end]
	}
	return n.blocks
}

// Numbers returns the number of the first block of Blocks, and how many blocks there are in all
// processes.
func (n *Network) Numbers() (first, all int) {
	if n.across != nil {
		first = n.across.first
	}
	return first, len(n.blocks)
}

// Discard gives the memory of a network's packets and messages back to the operating system. What
// the network has counted stays. It must not run again.
func Discard(n *Network) {
	for _, b := range n.Blocks() {
		offheap.Discard(b.nics.messages.all.at(b.nics.messages.block).slice(0, b.nics.messages.used))
		if b.general != nil {
			pool := &b.general.pool
			offheap.Discard(pool.parcels.slice(pool.own.first, pool.used-pool.own.first))
			continue
		}
		pool := &b.fast.lanes.pool
		offheap.Discard(pool.packets.slice(pool.own.first, pool.used-pool.own.first))
	}
}

// Close frees the memory. The network must not be used afterwards.
func (n *Network) Close() {
	for _, b := range n.blocks {
		if b != nil {
			b.arena.Free()
		}
	}
	n.growing.Free()
	n.arena.Free()
}

// SetEndpoint installs the endpoint of the block's hosts. Call it before the first window.
func (b *Block) SetEndpoint(e Endpoint) {
	b.model.setEndpoint(e)
	b.teller, _ = e.(Teller)
}

// Now returns the simulated time (ps) up to which the block has been run.
func (b *Block) Now() int64 { return b.nics.counters.progress.Load() }

// reserveMessages allocates room for the messages of a block.
func (n *Network) reserveMessages(b *Block) (err error) {
	most := min(maxMessages, 1<<n.indexBits)
	if err = n.messages[b.nics.index].reserve(&b.arena, most); err != nil {
		return err
	}
	if n.extras[b.nics.index], err = offheap.Make[Extra](&b.arena, most); err != nil || n.across == nil || !n.cells.move {
		return err
	}
	births, err := offheap.Make[uint32](&b.arena, most)
	numberBirths(n, b, births)
	return err
}

// InjectAhead lets idle NICs inject messages of one packet as soon as they are posted. Call it
// before the first window. Predictions stay the same, but Totals between windows may include
// packets that have not left their NICs. It has no effect on the general path, in networks that are
// not plain (see fast.plain), and while the network is observed.
func (n *Network) InjectAhead() {
	for _, b := range n.Blocks() {
		if b.fast != nil {
			b.fast.injectAhead()
		}
	}
}

// reserveDoors allocates the state of doors, if there are any.
func reserveDoors(n *Network) (err error) {
	if n.layout.spec.Doors == nil {
		return nil
	}
	timers := n.state.timers.slice(0, n.state.timers.n)
	for i := range timers {
		timers[i] = Forever
	}
	n.doors, err = newDoorState(&n.arena, n.layout)
	return err
}
