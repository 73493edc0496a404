package collective

import (
	"slices"
	"sync"

	"fabricast/internal/random"
)

// Grid is a network of routers in dimensions, such as a torus.
type Grid struct {
	Dims []int // the number of routers in each dimension; the first varies fastest in their numbers
	// HostsOf is the number of hosts of each router; host h is at router h / HostsOf.
	HostsOf int
}

// Machine says where the ranks of a program are. It is what algorithms can know of a network, and
// any number of goroutines may use it.
type Machine struct {
	hosts []int32 // by rank of the world
	grid  *Grid
	group func(host int32) int32
	seat  func(host int32) (node, seat int32) // nil: a node is a host
	rates Rates
	rail  func(seat int32) int32               // nil: messages do not change rails
	trees func(ranks []int32, size int) *Trees // nil: there are none
	alone bool                                 // no two ranks have the same host; known if trees is not nil

	mutex sync.Mutex
	known map[members]laidOut
	kept  int // ranks of all known layouts together
}

// members identifies a communicator, but for lists of ranks that happen to have the same print.
type members struct {
	size  int
	print uint64 // of the list; 0: the first ranks of the world
}

// laidOut is a layout with the ranks for which it was made.
type laidOut struct {
	ranks  []int32
	layout *Layout
}

// room is the number of ranks for which a Machine keeps layouts: those of 16 divisions of the world,
// such as into rows and into columns, and small ones besides.
func (m *Machine) room() int { return 16*len(m.hosts) + 4096 }

// NewMachine returns the machine of a program. hosts holds the host of each rank. grid is nil if the
// network is none, and group, which returns the group of a host, is nil if there are none.
func NewMachine(hosts []int32, grid *Grid, group func(host int32) int32) *Machine {
	return &Machine{hosts: hosts, grid: grid, group: group, known: map[members]laidOut{}}
}

// Seat tells a machine whose nodes are networks of several hosts in which node each host is, and at
// which place there. It must be called before the machine is used.
func (m *Machine) Seat(seat func(host int32) (node, seat int32), rates Rates) {
	m.seat, m.rates = seat, rates
}

// Rails tells a machine with seats that messages to another node change to the rail of the receiver
// first, and on which rail each seat is. It must be called before the machine is used.
func (m *Machine) Rails(rail func(seat int32) int32) { m.rail = rail }

// Switches tells a machine whose switches reduce which trees they have for a communicator of some ranks;
// nil ranks are the first of the world. It must be called before the machine is used.
func (m *Machine) Switches(trees func(ranks []int32, size int) *Trees) {
	m.trees = trees
	hosts := slices.Clone(m.hosts)
	slices.Sort(hosts)
	m.alone = len(slices.Compact(hosts)) == len(m.hosts)
}

// World returns the layout of all ranks.
func (m *Machine) World() *Layout { return m.Layout(nil, len(m.hosts)) }

// Layout returns the layout of a communicator of some ranks of the world; nil for the first ranks of
// the world in order. A nil Machine knows nothing.
func (m *Machine) Layout(ranks []int32, size int) *Layout {
	if m == nil {
		return nil
	}
	key := members{size: size}
	for _, r := range ranks {
		key.print = random.Scramble(key.print ^ uint64(r))
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if l, known := m.known[key]; known && slices.Equal(l.ranks, ranks) {
		return l.layout
	}
	if m.kept += size; m.kept > m.room() {
		clear(m.known)
		m.kept = size
	}
	l := laidOut{slices.Clone(ranks), m.layOut(ranks, size)}
	m.known[key] = l
	return l.layout
}

func (m *Machine) layOut(ranks []int32, size int) *Layout {
	hosts := m.hosts[:size]
	if ranks != nil {
		hosts = make([]int32, size)
		for i, r := range ranks[:size] {
			hosts[i] = m.hosts[r]
		}
	}
	l := &Layout{noBox: "a network that is no grid"}
	l.Nodes, l.Seats = m.nodes(hosts)
	if m.group != nil {
		groups := make([]int32, size)
		for i, h := range hosts {
			groups[i] = m.group(h)
		}
		l.Groups = NewTeams(groups)
	}
	if m.trees != nil {
		l.Trees = m.trees(ranks, size)
		if m.alone { // a switch does not tell the ranks of a host apart that are not of one tree
			l.treeOf = m.treesOf(slices.Clone(ranks))
		}
	}
	if m.grid != nil {
		l.Box, l.noBox = m.grid.box(hosts)
	}
	return l
}

// treesOf returns which trees switches have for some of the ranks of a communicator.
func (m *Machine) treesOf(world []int32) func(ranks []int32) *Trees {
	return func(ranks []int32) *Trees {
		if world == nil {
			return m.trees(ranks, len(ranks))
		}
		list := make([]int32, len(ranks))
		for i, r := range ranks {
			list[i] = world[r]
		}
		return m.trees(list, len(list))
	}
}

// nodes returns the ranks of each node, and their seats.
func (m *Machine) nodes(hosts []int32) (*Teams, *Seats) {
	if m.seat == nil {
		return NewTeams(hosts), nil
	}
	nodes, seats := make([]int32, len(hosts)), make([]int32, len(hosts))
	for i, h := range hosts {
		nodes[i], seats[i] = m.seat(h)
	}
	teams := NewTeams(nodes)
	s := newSeats(teams, seats, m.rates)
	if m.rail != nil {
		s.setRails(m.rail)
	}
	return teams, s
}

// box returns the box that ranks on the given hosts fill, or why there is none. Its dimensions are
// those of the grid in which the ranks differ. If several ranks are on each router, they are one
// more dimension, the first.
func (g *Grid) box(hosts []int32) (b *Box, why string) {
	used := make([][]int, len(g.Dims)) // the coordinates that occur
	at := make([][]int, len(hosts))
	on := map[int32]int{} // ranks so far by router
	slot := make([]int, len(hosts))
	for r, h := range hosts {
		router := h / int32(g.HostsOf)
		slot[r] = on[router]
		on[router]++
		rest := int(router)
		for d, k := range g.Dims {
			at[r] = append(at[r], rest%k)
			if i, found := slices.BinarySearch(used[d], rest%k); !found {
				used[d] = slices.Insert(used[d], i, rest%k)
			}
			rest /= k
		}
	}
	each := len(hosts) / len(on)
	routers := 1
	for _, u := range used {
		routers *= len(u)
	}
	for _, n := range on {
		if n != each {
			return nil, "routers with different numbers of ranks"
		}
	}
	if routers != len(on) {
		return nil, "ranks that leave gaps in the box around them"
	}
	b = &Box{ranks: make([]int32, len(hosts)), places: make([]int32, len(hosts))}
	add := func(k int) {
		if k > 1 {
			b.Dims = append(b.Dims, k)
		}
	}
	add(each)
	for _, u := range used {
		add(len(u))
	}
	if len(b.Dims) == 0 {
		b.Dims = []int{1}
	}
	for r := range hosts {
		place, stride := slot[r], each
		for d, u := range used {
			i, _ := slices.BinarySearch(u, at[r][d])
			place += i * stride
			stride *= len(u)
		}
		b.places[r], b.ranks[place] = int32(place), int32(r)
	}
	return b, ""
}
