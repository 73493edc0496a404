package fabric

import "iter"

// creditHead precedes what one process tells another of a lane at a border, on the fast path: what has
// left the FIFO there and stands for credit, and whether the upstream side waits for more.
type creditHead struct {
	lane  uint32 // of the other process
	count uint32 // packets that follow
	way   way    // wanted or nothing
	_     uint8
	lack  uint16
}

// joinBorders takes back the ghosts for FIFOs of other processes: what they hold becomes credit at
// these FIFOs again.
func (a *across) joinBorders() {
	out := make([][]byte, a.group.Size())
	for x := range a.borders() {
		at := a.net.state.lanes.at(x.lane)
		stand := x.here.fast.lanes.below(x.lane)
		ghost := x.here.fast.lanes.at(stand)
		out[x.process] = packCredit(out[x.process], x, stand)
		x.here.fast.lanes.pool.drop(ghost)
		*ghost, *x.here.fast.lanes.more.at(stand) = lane{}, laneMore{}
		at.way &^= outside
		borders{a.net}.lead(x.lane, x.other)
	}
	a.exchangeCredit(out, func(b *Block, head creditHead, credit []packet) {
		in := b.fast.lanes.at(head.lane)
		b.fast.lanes.precede(in, credit)
		in.way |= head.way
		b.fast.lanes.more.at(head.lane).lack = head.lack
	})
}

// separateBorders gives the ghosts for FIFOs of other processes what has left these FIFOs.
func (a *across) separateBorders() {
	out := make([][]byte, a.group.Size())
	for x := range a.borders() {
		in := a.net.state.lanes.at(x.lane)
		out[x.process] = packCredit(out[x.process], x, x.lane)
		in.forget()
		in.way &^= wanted
	}
	a.exchangeCredit(out, func(b *Block, head creditHead, credit []packet) {
		at := b.fast.lanes.at(head.lane)
		number := b.fast.lanes.below(head.lane)
		stand := b.fast.lanes.at(number)
		for _, p := range credit {
			b.fast.lanes.leaveBehind(at, stand, p.time, p.flits&flitMask)
		}
		stand.way, b.fast.lanes.more.at(number).lack = head.way, head.lack
	})
}

// packCredit appends what has left a FIFO for the process at the other side of a border.
func packCredit(out []byte, x border, number uint32) []byte {
	in := x.here.fast.lanes.at(number)
	credit := x.here.fast.lanes.left(in)
	head := creditHead{
		lane: x.other, count: uint32(len(credit)), way: in.way & wanted,
		lack: x.here.fast.lanes.more.at(number).lack,
	}
	return appendRaw(appendRaw(out, []creditHead{head}), credit)
}

// exchangeCredit brings what packCredit has appended to the other processes.
func (a *across) exchangeCredit(out [][]byte, take func(*Block, creditHead, []packet)) {
	for p, data := range a.group.Exchange(out) {
		if p == a.group.Rank() {
			continue
		}
		for r := (reader{data}); len(r.rest) > 0; {
			head := one[creditHead](&r)
			port := a.net.layout.spec.Graph.Ports[head.lane/a.net.layout.vcs]
			take(
				a.net.blocks[a.net.blockOf(uint32(port.Router))], head,
				readRaw[packet](&r, nil, head.count),
			)
		}
	}
}

// border is a lane at the border between this process and another.
type border struct {
	lane    uint32
	here    *Block // that has it
	other   uint32 // lane at the other end
	process int    // that has it
}

// borders yields the lanes of this process whose other end another one has.
func (a *across) borders() iter.Seq[border] {
	n, l := a.net, a.net.layout
	return func(yield func(border) bool) {
		for _, b := range n.Blocks() {
			end := uint32(l.spec.Graph.PortBase[b.nics.first+b.nics.count])
			for port := uint32(l.spec.Graph.PortBase[b.nics.first]); port < end; port++ {
				peer := l.wiring(port).router
				if peer < 0 || n.here(n.blockOf(uint32(peer))) {
					continue
				}
				process := int(a.process[n.blockOf(uint32(peer))])
				for v := range l.vcs {
					if !yield(border{port*l.vcs + v, b, l.beyond(port) + v, process}) {
						return
					}
				}
			}
		}
	}
}
