package fabric

import (
	"math/bits"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/inputqueued"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/internal/switched"
	"fabricast/fabric/model"
	"fabricast/internal/cluster"
	"fabricast/internal/offheap"
	"fabricast/topology"
)

// Network is a simulated network, partitioned into blocks. Its user must call Close.
type Network struct {
	// in the user's numbering; layout.Spec.Graph is in the partition's order
	graph           *topology.Graph
	parts           partition
	layout          *core.Layout
	state           *core.State
	general         *stage.State        // on the general path; otherwise nil
	doors           *switched.DoorState // nil unless the Spec has doors
	blocks          []*Block
	indexBits       uint32                      // number of bits of a message's index within its block
	messages        []core.Array[model.Message] // by block: its messages
	extras          [][]model.Extra             // by block, of the messages with the same indices
	divisions       [][]core.Division           // the same, of their latencies; nil unless they are recorded
	births          []core.Array[uint32]        // by block, of the same messages; nil unless cells move between processes
	nics            *nic.State
	across          *across                // nil unless several processes share the run
	ahead           bool                   // it is a part of a Time Warp run, which has received all after each window
	packets         inputqueued.PacketPool // packets of all blocks, on the fast path
	places          uint32                 // packet capacity of a block there
	switchedPackets *stage.Packets         // packets of all blocks, on the general path
	cells           *Cells                 // groups of routers that can move between blocks; each has its own endpoint
	arena           offheap.Arena
	growing         offheap.Arena // for arrays whose per-block parts are used from the start
}

// New builds the network of a Spec, partitioned into the given number of blocks (at most one per
// router). It returns an error if the model does not support the Spec, or if memory is short.
func New(spec model.Spec, blocks int) (*Network, error) {
	return build(spec, blocks, switched.Needed(&spec), nil)
}

// build builds a network for the fast or the general path. group is nil if there is only one
// process.
func build(spec model.Spec, blocks int, general bool, group cluster.Group) (*Network, error) {
	blocks = max(1, min(blocks, spec.Graph.Routers))
	n := &Network{graph: spec.Graph, parts: newPartition(spec.Graph, blocks, spec.Cut)}
	large := isLarge(&spec, blocks)
	n.arena.Large, n.growing.Large, n.growing.Growing = large, large, true
	spec, err := core.OpenDoors(spec)
	if err != nil {
		return nil, err
	}
	user := spec.Graph
	spec.Graph = n.parts.apply(user)
	l, err := core.NewLayout(spec, &n.arena)
	if err != nil {
		n.Close()
		return nil, err
	}
	n.layout = l
	l.Names, l.Places = n.parts.order, n.parts.place
	l.ExpandEvents(user, func(port int) int { return n.parts.port(user, l.Spec.Graph, port) })
	l.FindAgents()
	n.indexBits = uint32(31 - bits.Len(uint(blocks-1)))
	if n.across = newAcross(n, blocks, group); n.across != nil {
		cuts, routers := n.parts.cuts, l.Spec.Graph.Routers
		n.arena.UsePart(int(cuts[n.across.first]), int(cuts[n.across.end]), routers)
	}
	if err := n.build(blocks, general); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// largeVCs is the number of VCs of a block from which on all arrays are in huge pages. Such a block
// has some megabytes of state, and random access to it through small pages would cost a tenth of
// the run time.
const largeVCs = 1 << 14

// isLarge reports whether blocks have enough VCs for their arrays to be in huge pages.
func isLarge(s *model.Spec, blocks int) bool {
	return (len(s.Graph.Ports)+len(s.Graph.NICPort))*s.Router.VCs/blocks >= largeVCs
}

func (n *Network) build(blocks int, general bool) error {
	l := n.layout
	vcs := int(l.FirstNICVC) + len(l.Spec.Graph.NICPort)*int(l.NumVCs)
	cuts := n.parts.cuts
	n.cells = newCells(n)
	ghosts := n.countGhosts(cuts)
	if n.cells.move {
		ghosts = int(l.FirstNICPort * l.NumVCs) // enough for any position of the block borders
	}
	var err error
	if n.state, err = core.NewState(&n.arena, l, vcs+ghosts); err != nil {
		return err
	}
	if err := reserveDoors(n); err != nil {
		return err
	}
	if n.nics, err = nic.NewState(&n.arena, l, n.state); err != nil {
		return err
	}
	if general {
		if n.general, err = stage.NewState(&n.arena, l, n.routerHere); err != nil {
			return err
		}
	}
	if err := n.reserve(vcs + ghosts); err != nil {
		return err
	}
	n.blocks = make([]*Block, blocks)
	n.messages = make([]core.Array[model.Message], blocks)
	n.extras = make([][]model.Extra, blocks)
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

// newBlock returns a block with its parts, but without memory for messages.
func (n *Network) newBlock(index int) *Block {
	b := &Block{net: n, arena: offheap.Arena{Growing: true, Large: n.growing.Large}}
	b.saver.of = b
	giveBack := func(c *core.CreditMail) { b.model.TakeCredit(c) }
	if n.general != nil {
		b.nics = &nic.NICs{}
		b.place(index, len(n.blocks))
		b.nics.Begin(n.state, n.nics, giveBack)
		b.general = switched.New(b.nics, n.general, n.switchedPackets, n.switchedPackets.Of(index))
		b.general.Doors = switched.NewDoors(b.general, n.doors, n.switchedPackets.Riders)
		b.model = b.general
		return b
	}
	b.fast = &inputqueued.Routers{}
	b.nics, b.model = &b.fast.NICs, b.fast
	b.place(index, len(n.blocks))
	b.fast.Begin(n.state, n.nics, giveBack)
	b.fast.VCs.Pool = n.packets.Of(index, n.places)
	return b
}

// place gives a block its routers, its message table, and the given number of boxes for other
// blocks.
func (b *Block) place(index, boxes int) {
	n := b.net
	cuts, own := n.parts.cuts, core.Span{First: 0, End: uint32(len(n.blocks))}
	if n.across != nil {
		own = core.Span{First: uint32(n.across.first), End: uint32(n.across.end)}
	}
	b.nics.Place(n.layout, index, own, cuts[index], cuts[index+1]-cuts[index])
	b.nics.Messages, b.nics.Mail = n.messageTable(index), core.NewOutbox(cuts, boxes)
}

// messageTable returns the table of a block's messages.
func (n *Network) messageTable(block int) core.MessageTable {
	return core.NewMessageTable(n.messages, n.extras, block, n.indexBits)
}

// reserve allocates memory for the packets of all blocks, with the given number of FIFOs on the
// fast path. It also reserves address space for blocks of other processes. Packets are thus
// numbered in the same way however blocks are divided among processes, as checkpoints require.
func (n *Network) reserve(fifos int) (err error) {
	blocks := len(n.parts.cuts) - 1
	n.growing.Parts = blocks
	if n.general != nil {
		n.switchedPackets, err = stage.NewPackets(&n.growing, n.layout, blocks)
		return err
	}
	n.packets, n.places, err = inputqueued.NewPacketPool(&n.growing, n.layout, fifos, blocks)
	return err
}

func (n *Network) blockOf(router uint32) int {
	lo, hi := 0, len(n.blocks)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; n.blocks[mid].nics.First <= router {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// countGhosts returns the number of VCs whose other end is in another block.
func (n *Network) countGhosts(cuts []uint32) int {
	count := 0
	for p, port := range n.layout.Spec.Graph.Ports {
		if peer := n.layout.Wiring(uint32(p)).Router; peer >= 0 &&
			core.BlockAt(cuts, uint32(peer)) != core.BlockAt(cuts, uint32(port.Router)) {
			count += int(n.layout.NumVCs)
		}
	}
	return count
}

// connect sets the destination of every VC, its credit there, and the FIFO from which it pulls more
// credit.
func (n *Network) connect() {
	l := n.layout
	for p := range l.FirstNICPort {
		lp := l.Wiring(p)
		if !n.routerHere(uint32(l.Spec.Graph.Ports[p].Router)) {
			continue
		}
		port := n.state.Ports.At(uint32(p))
		port.Router, port.Down = lp.Router, lp.Down
		for v := range l.NumVCs {
			at := n.state.VCs.At(uint32(p)*l.NumVCs + v)
			r := &l.Routers[l.Spec.Graph.Ports[p].Router]
			at.Number, at.Class = uint16(uint32(p)*l.NumVCs+v-r.Base), uint8(lp.Class)
			at.Flags = core.Drained
			if lp.Router == core.Unconnected {
				continue
			}
			at.Credit = l.Capacity
			if lp.Router < 0 {
				at.Flags |= core.ToHost
			}
		}
	}
	for nic, port := range l.Spec.Graph.NICPort {
		if !n.routerHere(uint32(l.Spec.Graph.Ports[port].Router)) {
			continue
		}
		at := n.state.Ports.At(l.FirstNICPort + uint32(nic))
		at.Router, at.Down = l.Spec.Graph.Ports[port].Router, uint32(port)*l.NumVCs
		for v := range l.NumVCs {
			n.state.VCs.At(l.FirstNICVC + uint32(nic)*l.NumVCs + v).Credit = l.Capacity
		}
	}
}

// Blocks returns the network's blocks that this process simulates.
func (n *Network) Blocks() []*Block {
	if n.across != nil {
		return n.blocks[n.across.first:n.across.end]
	}
	return n.blocks
}

// Numbers returns the index of the first block of Blocks, and the total number of blocks of all
// processes.
func (n *Network) Numbers() (first, all int) {
	if n.across != nil {
		first = n.across.first
	}
	return first, len(n.blocks)
}

// Discard releases the memory of a network's packets and messages to the operating system. Its
// counters remain valid. The network must not run again.
func Discard(n *Network) {
	for _, b := range n.Blocks() {
		offheap.Discard(b.nics.Messages.All.At(b.nics.Messages.Block).Slice(0, b.nics.Messages.Used))
		if b.general != nil {
			pool := &b.general.Pool
			offheap.Discard(pool.Packets.Slice(pool.Own.First, pool.Used-pool.Own.First))
			continue
		}
		pool := &b.fast.VCs.Pool
		offheap.Discard(pool.Packets.Slice(pool.Own.First, pool.Used-pool.Own.First))
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
func (b *Block) SetEndpoint(e model.Endpoint) {
	b.model.SetEndpoint(e)
	b.publisher, _ = e.(model.ProgressPublisher)
}

// Now returns the simulated time (ps) up to which the block has been run.
func (b *Block) Now() int64 { return b.nics.Counters.Progress.Load() }

// reserveMessages allocates memory for the messages of a block.
func (n *Network) reserveMessages(b *Block) (err error) {
	most := min(core.MaxMessages, 1<<n.indexBits)
	if err = n.messages[b.nics.Index].Reserve(&b.arena, most); err != nil {
		return err
	}
	if n.extras[b.nics.Index], err = offheap.Make[model.Extra](&b.arena, most); err != nil || n.across == nil || !n.cells.move {
		return err
	}
	births, err := offheap.Make[uint32](&b.arena, most)
	numberBirths(n, b, births)
	return err
}

// InjectAhead lets idle NICs inject messages of one packet as soon as they are posted. It must be
// called before the first window. Predictions do not change, but Totals between windows may include
// packets that have not left their NICs. It has no effect on the general path, in networks that are
// not plain (see inputqueued.Routers.Plain), and while the network is observed.
func (n *Network) InjectAhead() {
	for _, b := range n.Blocks() {
		if b.fast != nil {
			b.fast.InjectAhead()
		}
	}
}

// reserveDoors allocates the state of doors, if the Spec has any. Timers that can be set again are not set.
func reserveDoors(n *Network) (err error) {
	if !n.layout.ArmsNICsAgain() {
		return nil
	}
	timers := n.state.Timers.Slice(0, n.state.Timers.N)
	for i := range timers {
		timers[i] = model.Forever
	}
	if n.layout.Spec.Doors == nil {
		return nil
	}
	n.doors, err = switched.NewDoorState(&n.arena, n.layout)
	return err
}
