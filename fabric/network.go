package fabric

import (
	"fmt"
	"math"
	"math/bits"

	"fabricast/internal/offheap"
	"fabricast/internal/processes"
	"fabricast/topology"
)

// LimitError is the value a block panics with when a run needs more of something than the engine
// can number.
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return e.Reason }

var (
	errPackets  = &LimitError{Reason: "more packets in the network at once than can be numbered"}
	errLong     = &LimitError{Reason: fmt.Sprintf("a message of more than %d packets", math.MaxUint32)}
	errTooMany  = &LimitError{Reason: "a state of more packets or messages than can be numbered"}
	errMessages = &LimitError{Reason: "more messages under way at once than can be numbered"}
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
	buses     *busState        // nil unless NICs share I/O buses
	across    *across          // nil unless the run has several processes
	packets   packetPool       // of all blocks, on the fast path
	places    uint32           // of a block there
	parcels   *parcels         // of all blocks, on the general path
	cells     *Cells           // that have an endpoint each
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
	if n.buses, err = newBusState(&n.arena, l, n.state); err != nil {
		return err
	}
	rotas, err := newRotas(&n.arena, &l.spec)
	if err != nil {
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
		b := n.newBlock(i, rotas)
		n.blocks[i] = b
		store(n, b)
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

// newBlock returns a block with its parts, without room for packets and messages.
func (n *Network) newBlock(index int, rotas array[rota]) *Block {
	l, s, cuts := n.layout, n.state, n.parts.cuts
	b := &Block{
		net: n, index: index, first: cuts[index], count: cuts[index+1] - cuts[index], layout: l,
		routers: arrayOf(l.routers), classes: arrayOf(l.classes),
		vcs: l.vcs, flitTime: l.flitTime, uneven: l.uneven, roundRobins: l.roundRobins,
		special: l.uneven || l.roundRobins, arena: offheap.Arena{Growing: true, Large: n.growing.Large},
	}
	b.saver.of = b
	turns := newTurns(&l.spec, rotas)
	b.plain = l.oneRoute && !b.special && n.buses == nil && turns == nil
	b.direct, b.streams = b.plain, b.plain
	b.events = newEventWheel(l, s, b.first, b.count)
	b.messages, b.mail = newMessageTable(n, index), newOutbox(n, len(n.blocks))
	b.ahead = lookahead{layout: l, messages: &b.messages, mail: &b.mail, length: l.fullWindow, longest: l.fullWindow}
	b.lanes = vcLanes{
		layout: l, events: &b.events, all: s.lanes, more: s.laneMore, ports: s.ports, classes: b.classes,
	}
	b.lanes.sweeps(b.count)
	b.ports = outputPorts{
		events: &b.events, lanes: &b.lanes, vcs: l.vcs, flit: l.spec.Packet.Flit, classes: b.classes,
		ports: s.ports, more: s.more, share: 1<<32/uint64(l.vcs) + 1, roundRobins: l.roundRobins,
	}
	b.credit = creditReturn{
		vcs: l.vcs, events: &b.events, lanes: &b.lanes, mail: &b.mail,
		routers: b.routers,
	}
	b.send = nicSenders{
		layout: l, messages: &b.messages, events: &b.events, counters: &b.counters, lanes: &b.lanes,
		routers: b.routers, nics: s.nics, turns: turns,
		flitTime: l.flitTime, uneven: l.uneven,
	}
	b.receive = nicReceivers{
		layout: l, messages: &b.messages, ahead: &b.ahead, counters: &b.counters, nics: s.receivers,
	}
	if n.buses != nil {
		b.bus = &ioBuses{
			busState: *n.buses, layout: l, routers: b.routers, events: &b.events,
			send: &b.send, receive: &b.receive,
		}
	}
	b.loader = loader{
		layout: l, events: &b.events, lanes: &b.lanes, ports: &b.ports, messages: &b.messages,
		routers: b.routers, nics: s.nics, receivers: s.receivers, vcs: l.vcs, count: b.count,
		from: prefetchFrom,
	}
	b.loader.measure()
	return b
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

// store gives a block its part of the room for packets, on its path.
func store(n *Network, b *Block) {
	if n.general != nil {
		b.general = newGeneral(b, n.general, n.parcels, n.parcels.of(b.index))
		b.general.doors = newDoors(b, n.doors, n.parcels.riders)
		return
	}
	b.lanes.pool = n.packets.of(b.index, n.places)
}

func blockAt(cuts []uint32, router uint32) int {
	lo, hi := 0, len(cuts)-1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; cuts[mid] <= router {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

func (n *Network) blockOf(router uint32) int {
	lo, hi := 0, len(n.blocks)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; n.blocks[mid].first <= router {
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
		offheap.Discard(b.messages.all.at(b.messages.block).slice(0, b.messages.used))
		if b.general != nil {
			pool := &b.general.pool
			offheap.Discard(pool.parcels.slice(pool.own.first, pool.used-pool.own.first))
			continue
		}
		pool := &b.lanes.pool
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
	b.endpoint, b.send.endpoint = e, e
	b.loader.prefetcher = nil
	b.teller, _ = e.(Teller)
	if b.bus == nil { // the timers of buses lie between those of hosts
		b.loader.prefetcher, _ = e.(Prefetcher)
	}
	b.send.prefetcher = b.loader.prefetcher
}

// Now returns the simulated time (ps) up to which the block has been run.
func (b *Block) Now() int64 { return b.counters.progress.Load() }
