package fabric

import (
	"iter"

	"fabricast/fabric/internal/core"
)

// creditHead is the header of the data that one process sends to another about a VC at their
// border, on the fast path. The data are the packets that have left the FIFO there and stand for
// credit, and whether the upstream side waits for more.
type creditHead struct {
	number uint32       // ID of the VC, which is in the other process
	count  uint32       // number of packets that follow
	way    core.VCFlags // Wanted if the upstream side waits for more credit; otherwise 0
	_      uint8
	lack   uint16
}

// joinBorders removes the ghosts of FIFOs in other processes. The credit that they hold goes back
// to these FIFOs.
func (a *across) joinBorders() {
	out := make([][]byte, a.group.Size())
	for x := range a.borders() {
		at := a.net.state.VCs.At(x.number)
		stand := x.here.fast.VCs.Below(x.number)
		ghost := x.here.fast.VCs.At(stand)
		out[x.process] = packCredit(out[x.process], x, stand)
		x.here.fast.VCs.Pool.Drop(ghost)
		*ghost, *x.here.fast.VCs.More.At(stand) = core.VC{}, core.VCWait{}
		at.Flags &^= core.ToOtherBlock
		borders{a.net}.lead(x.number, x.other)
	}
	a.exchangeCredit(out, func(b *Block, head creditHead, credit []core.Packet) {
		in := b.fast.VCs.At(head.number)
		b.fast.VCs.Precede(in, credit)
		in.Flags |= head.way
		b.fast.VCs.More.At(head.number).Lack = head.lack
	})
}

// separateBorders gives the ghosts of FIFOs in other processes the packets that have left these
// FIFOs.
func (a *across) separateBorders() {
	out := make([][]byte, a.group.Size())
	for x := range a.borders() {
		in := a.net.state.VCs.At(x.number)
		out[x.process] = packCredit(out[x.process], x, x.number)
		in.Forget()
		in.Flags &^= core.Wanted
	}
	a.exchangeCredit(out, func(b *Block, head creditHead, credit []core.Packet) {
		at := b.fast.VCs.At(head.number)
		number := b.fast.VCs.Below(head.number)
		stand := b.fast.VCs.At(number)
		for _, p := range credit {
			b.fast.VCs.LeaveBehind(at, stand, p.Time, p.Flits&core.FlitMask)
		}
		stand.Flags, b.fast.VCs.More.At(number).Lack = head.way, head.lack
	})
}

// packCredit appends the packets that have left a FIFO, for the process on the other side of a
// border.
func packCredit(out []byte, x border, number uint32) []byte {
	in := x.here.fast.VCs.At(number)
	credit := x.here.fast.VCs.Left(in)
	head := creditHead{
		number: x.other, count: uint32(len(credit)), way: in.Flags & core.Wanted,
		lack: x.here.fast.VCs.More.At(number).Lack,
	}
	return appendRaw(appendRaw(out, []creditHead{head}), credit)
}

// exchangeCredit sends the output of packCredit to the other processes, and calls take for what it
// receives.
func (a *across) exchangeCredit(out [][]byte, take func(*Block, creditHead, []core.Packet)) {
	for p, data := range a.group.Exchange(out) {
		if p == a.group.Rank() {
			continue
		}
		for r := (reader{data}); len(r.rest) > 0; {
			head := one[creditHead](&r)
			port := a.net.layout.Spec.Graph.Ports[head.number/a.net.layout.NumVCs]
			take(
				a.net.blocks[a.net.blockOf(uint32(port.Router))], head,
				readRaw[core.Packet](&r, nil, head.count),
			)
		}
	}
}

// border is a VC at the border between this process and another one.
type border struct {
	number  uint32
	here    *Block // block of the VC
	other   uint32 // ID of the VC at the other end
	process int    // process of the VC at the other end
}

// borders yields the VCs of this process whose other end is in another process.
func (a *across) borders() iter.Seq[border] {
	n, l := a.net, a.net.layout
	return func(yield func(border) bool) {
		for _, b := range n.Blocks() {
			end := uint32(l.Spec.Graph.PortBase[b.nics.First+b.nics.Count])
			for port := uint32(l.Spec.Graph.PortBase[b.nics.First]); port < end; port++ {
				peer := l.Wiring(port).Router
				if peer < 0 || n.here(n.blockOf(uint32(peer))) {
					continue
				}
				process := int(a.process[n.blockOf(uint32(peer))])
				for v := range l.NumVCs {
					if !yield(border{port*l.NumVCs + v, b, l.Beyond(port) + v, process}) {
						return
					}
				}
			}
		}
	}
}
