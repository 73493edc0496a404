package fabric

import (
	"encoding/binary"
	"time"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// Sync selects which processes of a run synchronize at the end of a window.
type Sync int

const (
	// SyncAuto means SyncNeighbours if there are more than mostSwapped processes and each has few
	// neighbours, and SyncAll otherwise.
	SyncAuto Sync = iota
	// SyncAll makes all processes agree on the next window.
	SyncAll
	// SyncNeighbours synchronizes each process only with those whose routers are linked to its own.
	// It falls back to SyncAll if routers move between processes or publish their queues, if
	// replies of hooks arrive after a fixed delay, or if some processes are not connected, even
	// indirectly.
	SyncNeighbours
)

// mostNeighbours is the maximum number of neighbours of a process for which SyncAuto means
// SyncNeighbours.
const mostNeighbours = 64

// vicinity says how a process reaches the others through its neighbours.
//
// Packets and credits go to neighbours only. All other data for a process travels one step along a
// shortest path with the message of each window. It thus arrives before any packet that departs
// later, since a packet, too, crosses at most one process border per window.
type vicinity struct {
	neighbours []int
	step       []int32   // by process: the next neighbour on the path to it
	transit    [][]byte  // by neighbour: relays (see relayHead) to be sent there with the next message
	none       [][]byte  // by neighbour: an empty message
	came       core.Box  // box that was received in a relay
	reported   time.Time // when this process last reported its progress to the first process
}

// Sync selects which processes synchronize. All processes must make the same call, before the first
// window.
func (n *Network) Sync(s Sync) {
	a := n.across
	if a == nil || s == SyncAll || s == SyncAuto && a.group.Size() <= mostSwapped {
		return
	}
	if n.cells.move || n.layout.Publishes() > 0 || repliesFly(n.layout.Spec.Doors) || n.layout.LateWindow() < core.LeastWindow {
		return
	}
	links := a.links()
	v := newVicinity(a.group.Rank(), links)
	if v == nil || s == SyncAuto && mostOf(links) > mostNeighbours {
		return
	}
	a.near = v
	for _, b := range n.Blocks() {
		b.nics.Ahead.Longest = n.layout.LateWindow()
	}
}

// repliesFly reports whether replies of hooks, or packets that links have lost, reach NICs directly after a
// delay instead of hop by hop.
func repliesFly(d *model.Doors) bool {
	return d != nil && (d.Hooks != nil && d.Hooks.Delay > 0 || d.Timeout > 0)
}

// links returns, for each process, its neighbours: the processes whose routers are linked to its
// own.
func (a *across) links() [][]int {
	n, size := a.net, a.group.Size()
	linked := make([]bool, size*size)
	ports := n.layout.Spec.Graph.Ports
	for p := range ports {
		if peer := n.layout.Wiring(uint32(p)).Router; peer >= 0 {
			linked[a.processOf(uint32(ports[p].Router))*size+a.processOf(uint32(peer))] = true
		}
	}
	list := make([][]int, size)
	for p := range list {
		for q := range size {
			if q != p && (linked[p*size+q] || linked[q*size+p]) {
				list[p] = append(list[p], q)
			}
		}
	}
	return list
}

// processOf returns the process of a router.
func (a *across) processOf(router uint32) int {
	return int(a.process[core.BlockAt(a.net.parts.cuts, router)])
}

// mostOf returns the length of the longest list.
func mostOf(lists [][]int) (most int) {
	for _, list := range lists {
		most = max(most, len(list))
	}
	return most
}

// newVicinity returns how process `me` reaches the others, or nil if it cannot reach all of them.
func newVicinity(me int, links [][]int) *vicinity {
	v := &vicinity{
		neighbours: links[me], step: make([]int32, len(links)),
		transit: make([][]byte, len(links)), none: make([][]byte, len(links)),
		came: core.Box{First: model.Forever},
	}
	for p := range v.step {
		v.step[p] = -1
	}
	v.step[me] = int32(me)
	queue := []int{me}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for _, to := range links[from] {
			if v.step[to] >= 0 {
				continue
			}
			if v.step[to] = v.step[from]; from == me {
				v.step[to] = int32(to)
			}
			queue = append(queue, to)
		}
	}
	for _, step := range v.step {
		if step < 0 {
			return nil
		}
	}
	return v
}

// adjoins reports whether a process is a neighbour of this one.
func (v *vicinity) adjoins(process int) bool { return int(v.step[process]) == process }

// Adjoin implements engine.Neighbours.
func (j Joint) Adjoin() bool { return j.net.across.near != nil }

// Shortest implements engine.Neighbours.
func (j Joint) Shortest() int64 { return min(j.net.layout.Windows[0], j.net.layout.LateWindow()) }

// StartLeast implements engine.Neighbours.
func (j Joint) StartLeast(values []int64) { j.net.across.group.StartLeast(values) }

// FinishLeast implements engine.Neighbours.
func (j Joint) FinishLeast(values []int64) { j.net.across.group.FinishLeast(values) }

// Carry implements engine.Neighbours. A message consists of the length of the relays in bytes, the
// relays, and the output of pack. It is empty if there are no relays and no output.
func (j Joint) Carry(sound bool) {
	a := j.net.across
	round, begins := a.begin()
	out := a.near.none
	if sound && begins {
		out = a.fillNear()
	}
	from := a.group.Trade(a.near.neighbours, out)
	for _, p := range a.near.neighbours {
		if data := from[p]; len(data) > 0 {
			r := reader{data}
			relays := r.next(int(one[uint32](&r)))
			a.relay(relays)
			from[p] = r.rest
		}
	}
	// The contents that belong to a record may have been relayed by another neighbour.
	for _, p := range a.near.neighbours {
		if len(from[p]) > 0 {
			a.unpack(from[p], round, p)
		}
	}
}

// fillNear builds the messages to the neighbours.
func (a *across) fillNear() [][]byte {
	messages := a.control.Take()
	a.relayOwn(messages)
	for _, p := range a.near.neighbours {
		out := append(a.out[p][:0], 0, 0, 0, 0)
		out = append(out, a.near.transit[p]...)
		binary.NativeEndian.PutUint32(out, uint32(len(a.near.transit[p])))
		a.near.transit[p] = a.near.transit[p][:0]
		relayed := len(out)
		if out = a.pack(out, p, messages, nil); len(out) == 4 && relayed == 4 {
			out = out[:0]
		}
		a.out[p] = out
	}
	for _, b := range a.net.blocks[a.first:a.end] {
		b.nics.Mail.Contents = b.nics.Mail.Contents[:0]
	}
	return a.out
}
