package topology

import "fmt"

var _ = Register(97, Description[HammingMeshSpec]{
	Name: "hammingmesh", Summary: "boards that are meshes, their rows and columns joined by trees",
	Routing: "minimal",
	Defaults: func(s *HammingMeshSpec, _ bool) {
		hostsDefault(&s.Hosts, 1, false)
		if s.Radix == 0 {
			s.Radix = 64
		}
	},
	Sized: func(hosts int) HammingMeshSpec {
		side := max(2, root((hosts+3)/4, 2))
		return HammingMeshSpec{Board: []int{2, 2}, Boards: []int{side, side}}
	},
	Manual: Manual{
		Section: "hammingmesh", Routers: "a b x y, and switches", Hosts: "p a b x y", Links: "4",
		Diameter: "2⌈a/2⌉ + 2⌈b/2⌉, and 2 for each dimension with two levels of switches",
	},
	Examples: []string{"board: [2, 2], boards: [3, 2]", "board: [4, 1], boards: [5, 2], radix: 8, hosts: 2"},
})

// HammingMeshSpec holds the parameters of a HammingMesh.
type HammingMeshSpec struct {
	// accelerators of a board, along x and y
	Board []int `yaml:"board" help:"accelerators of a board along x and y"`
	// boards along x and y
	Boards []int `yaml:"boards" help:"boards along x and y"`
	// ports of a switch; 0: 64
	Radix int `yaml:"radix" help:"ports of a switch, a multiple of 4" default:"64"`
	// hosts per accelerator; 0: 1
	Hosts int `yaml:"hosts" help:"of an accelerator" default:"1"`
}

// HammingMesh is a grid of boards, each of which is a 2-D mesh of accelerators (Hoefler, Bonato, De
// Sensi, Di Girolamo, Li, Heddes, Belk, Goel, Castro and Scott, HammingMesh: A Network Topology for
// Large-Scale Deep Learning, SC 2022). The ends of a line of accelerators, at two edges of every
// board, are joined to those of the same line of all boards in the row, or in the column: by one
// switch if it has enough ports, else by a tree of two levels without taper.
//
// Accelerators are numbered board by board, within a board with x fastest; boards likewise. Their
// local ports lead to +x, -x, +y, -y, then to the NICs. The switches follow: line by line those of
// the rows, then those of the columns, leaf switches before spine switches. A leaf switch's ports
// lead to +x and -x (or +y and -y) of board 0, of board 1 and so on, then up.
type HammingMesh struct {
	board, boards [2]int
	hosts         int
	line          [2]switchLine // the switches of a line along x, and along y
	first         [2]int        // first switch of the lines along x, and along y
	graph         *Graph
}

// switchLine describes the switches that join the boards of one line.
type switchLine struct {
	ends   int // ports of boards
	down   int // ports to boards of a leaf switch
	leaves int
	spines int // 0: there is a single switch
	wide   int // ports of a spine switch for each leaf switch
}

// newSwitchLine returns the switches, of radix ports, for so many ports of boards.
func newSwitchLine(ends, radix int) switchLine {
	if ends <= radix {
		return switchLine{ends: ends, down: ends, leaves: 1}
	}
	l := switchLine{ends: ends, down: radix / 2}
	l.leaves = (ends + l.down - 1) / l.down
	for l.spines = (l.leaves + 1) / 2; ; l.spines++ {
		if l.wide = (l.down + l.spines - 1) / l.spines; l.wide*l.leaves <= radix || l.wide == 1 {
			return l
		}
	}
}

// size returns the number of switches of a line.
func (l switchLine) size() int { return l.leaves + l.spines }

// degree returns the number of ports of a switch.
func (l switchLine) degree(i int) int {
	switch {
	case l.spines == 0:
		return l.down
	case i < l.leaves:
		return 2 * l.down
	}
	return l.leaves * l.wide
}

// NewHammingMesh builds the HammingMesh that s describes. Its link classes are "board" within
// boards, "row" and "column" for links to and between switches. It returns an error if s is invalid.
func NewHammingMesh(s HammingMeshSpec, nicsPerHost int) (*HammingMesh, error) {
	s = s.full()
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	h := &HammingMesh{board: [2]int(s.Board), boards: [2]int(s.Boards), hosts: s.Hosts}
	for d := range h.line {
		h.line[d] = newSwitchLine(2*h.boards[d], s.Radix)
	}
	h.first = [2]int{h.Accelerators(), h.Accelerators() + h.lines(0)*h.line[0].size()}
	h.graph = wiring{
		routers: s.Size().Routers, nics: nicsPerHost, degree: h.degree, far: h.far,
	}.layOut()
	return h, nil
}

func (s HammingMeshSpec) full() HammingMeshSpec {
	if s.Radix == 0 {
		s.Radix = 64
	}
	if s.Hosts == 0 {
		s.Hosts = 1
	}
	return s
}

// Check implements Spec.
func (s HammingMeshSpec) Check() []Mistake {
	var c checker
	s = s.full()
	pair := func(field string, list []int) bool {
		const such = "two numbers, such as [2, 2]"
		return c.sizes(field, list, 2, such) && c.demand(len(list) == 2, field, list, such)
	}
	right := pair("board", s.Board)
	right = pair("boards", s.Boards) && right
	right = c.count("hosts", s.Hosts, 1) && right
	right = c.demand(s.Radix >= 4 && s.Radix%4 == 0, "radix", s.Radix, "a multiple of 4") && right
	if !right || !c.fits("boards", s.Boards, Size{Routers: product(append(s.Board, s.Boards...)...)}) {
		return c.mistakes
	}
	for d, n := range s.Boards {
		l := newSwitchLine(min(2*n, maxRouters), s.Radix)
		c.demand(l.spines == 0 || l.leaves <= s.Radix, fmt.Sprintf("boards[%d]", d), n,
			fmt.Sprintf("at most %d boards, which switches of %d ports join", s.Radix*s.Radix/4, s.Radix))
	}
	if len(c.mistakes) == 0 {
		c.fits("boards", s.Boards, s.Size())
	}
	return c.mistakes
}

// Size implements Spec.
func (s HammingMeshSpec) Size() Size {
	s = s.full()
	n := product(append(append([]int(nil), s.Board...), s.Boards...)...)
	size := Size{Routers: n, Hosts: product(n, s.Hosts), Links: product(n, 4)}
	for d := range s.Boards {
		l, lines := newSwitchLine(2*s.Boards[d], s.Radix), product(s.Board[1-d], s.Boards[1-d])
		size.Routers += product(lines, l.size())
		for i := range l.size() {
			size.Links += product(lines, l.degree(i))
		}
	}
	return size
}

// Build implements Spec.
func (s HammingMeshSpec) Build(nics int) (Topology, error) { return NewHammingMesh(s, nics) }

// Accelerators returns the number of accelerators: the first routers.
func (h *HammingMesh) Accelerators() int {
	return h.board[0] * h.board[1] * h.boards[0] * h.boards[1]
}

// lines returns the number of lines of accelerators along x (d = 0) or y (d = 1).
func (h *HammingMesh) lines(d int) int { return h.board[1-d] * h.boards[1-d] }

// Length returns the number of accelerators of a board along dimension d.
func (h *HammingMesh) Length(d int) int { return h.board[d] }

// Place returns the board of an accelerator along dimension d, and its place within the board.
func (h *HammingMesh) Place(accelerator, d int) (board, place int) {
	inner := h.board[0] * h.board[1]
	board, place = accelerator/inner, accelerator%inner
	if d == 0 {
		return board % h.boards[0], place % h.board[0]
	}
	return board / h.boards[0], place / h.board[0]
}

// accelerator returns the router at a board and place along x, and at those along y.
func (h *HammingMesh) accelerator(board, place [2]int) int {
	return ((board[1]*h.boards[0]+board[0])*h.board[1]+place[1])*h.board[0] + place[0]
}

// Switch describes a router that is a switch: the dimension of its line, the number of the line, and
// its number among the switches of the line.
func (h *HammingMesh) Switch(router int) (d, line, i int) {
	if router >= h.first[1] {
		d = 1
	}
	n := h.line[d].size()
	return d, (router - h.first[d]) / n, (router - h.first[d]) % n
}

// Leaves returns the numbers of leaf and spine switches of a line along dimension d.
func (h *HammingMesh) Leaves(d int) (leaves, spines int) { return h.line[d].leaves, h.line[d].spines }

// Leaf returns the leaf switch of a line along dimension d that joins a board, and the leaf's local
// port to the board's upper end; that to the lower end follows.
func (h *HammingMesh) Leaf(d, board int) (leaf, port int) {
	return 2 * board / h.line[d].down, 2 * board % h.line[d].down
}

// Up returns the range of a leaf switch's local ports up.
func (h *HammingMesh) Up(d int) (first, n int) { return h.line[d].down, h.line[d].down }

// Down returns the range of a spine switch's local ports to a leaf switch.
func (h *HammingMesh) Down(d, spine, leaf int) (first, n int) {
	l := h.line[d]
	return leaf * l.wide, (l.down - spine + l.spines - 1) / l.spines
}

func (h *HammingMesh) degree(router int) (links, hosts int) {
	if router < h.Accelerators() {
		return 4, h.hosts
	}
	d, _, i := h.Switch(router)
	return h.line[d].degree(i), 0
}

func (h *HammingMesh) far(router, p int) (peer, peerPort int, class uint16) {
	if router < h.Accelerators() {
		return h.beside(router, p)
	}
	d, line, i := h.Switch(router)
	l, first := h.line[d], h.first[d]+line*h.line[d].size()
	class = uint16(d) + LinkHost + 1
	switch {
	case i >= l.leaves: // a spine switch
		if k := p%l.wide*l.spines + i - l.leaves; k < l.down {
			return first + p/l.wide, l.down + k, class
		}
	case p >= l.down:
		k := p - l.down
		return first + l.leaves + k%l.spines, i*l.wide + k/l.spines, class
	case i*l.down+p < l.ends:
		return h.edge(d, line, i*l.down+p), 2*d + p%2, class
	}
	return int(Unconnected), 0, class
}

// beside returns what an accelerator's port to other routers leads to.
func (h *HammingMesh) beside(router, p int) (peer, peerPort int, class uint16) {
	d, step := p/2, 1-p%2*2
	var board, place [2]int
	for j := range board {
		board[j], place[j] = h.Place(router, j)
	}
	if next := place[d] + step; next >= 0 && next < h.board[d] {
		place[d] = next
		return h.accelerator(board, place), p ^ 1, LinkRouter
	}
	line := board[1-d]*h.board[1-d] + place[1-d]
	leaf, port := h.Leaf(d, board[d])
	return h.first[d] + line*h.line[d].size() + leaf, port + p%2, uint16(d) + LinkHost + 1
}

// edge returns the accelerator at an end of a board's part of a line: the upper end of board 0, its
// lower end, the upper end of board 1 and so on.
func (h *HammingMesh) edge(d, line, end int) int {
	var board, place [2]int
	board[d], board[1-d], place[1-d] = end/2, line/h.board[1-d], line%h.board[1-d]
	if end%2 == 0 {
		place[d] = h.board[d] - 1
	}
	return h.accelerator(board, place)
}

// Kind returns "hammingmesh".
func (h *HammingMesh) Kind() string { return "hammingmesh" }

// Graph returns the network.
func (h *HammingMesh) Graph() *Graph { return h.graph }

// LinkClasses returns "board", "host", "row" and "column".
func (h *HammingMesh) LinkClasses() []string { return []string{"board", "host", "row", "column"} }

// RouterName returns the coordinates of an accelerator among all, such as "(5,3)"; "row3" for the
// switch of row 3, or "row3.1" and "row3.spine0" where there are several.
func (h *HammingMesh) RouterName(router int) string {
	if router < h.Accelerators() {
		at := h.Coordinates(router, nil)
		return fmt.Sprintf("(%d,%d)", at[0], at[1])
	}
	d, line, i := h.Switch(router)
	name := fmt.Sprintf("%s%d", [2]string{"row", "column"}[d], line)
	switch l := h.line[d]; {
	case l.spines == 0:
		return name
	case i < l.leaves:
		return fmt.Sprintf("%s.%d", name, i)
	default:
		return fmt.Sprintf("%s.spine%d", name, i-l.leaves)
	}
}

// PortName returns "+x" and so on for accelerators. On switches it is "3+x" for the upper end of
// board 3, "up0", or "leaf1.0" for the first link to leaf switch 1.
func (h *HammingMesh) PortName(router, port int) string {
	if router < h.Accelerators() {
		return ringPortName(port, 2, h.hosts, h.graph.NICsPerHost)
	}
	d, _, i := h.Switch(router)
	switch l := h.line[d]; {
	case i >= l.leaves:
		return fmt.Sprintf("leaf%d.%d", port/l.wide, port%l.wide)
	case port >= l.down:
		return fmt.Sprintf("up%d", port-l.down)
	default:
		return fmt.Sprintf("%d%c%s", (i*l.down+port)/2, "+-"[port%2], DimensionName(d))
	}
}

// Distance returns the minimum number of links between the routers of two hosts.
func (h *HammingMesh) Distance(a, b int) int {
	return h.Along(0, a/h.hosts, b/h.hosts) + h.Along(1, a/h.hosts, b/h.hosts)
}

// Along returns the number of links along dimension d on a shortest way between two accelerators.
func (h *HammingMesh) Along(d, a, b int) int {
	from, at := h.Place(a, d)
	return h.between(d, from, at, b)
}

// FromSwitch returns the number of links on a way from a switch of a line to an accelerator, first along the line.
func (h *HammingMesh) FromSwitch(router, b int) int {
	d, line, i := h.Switch(router)
	board, place := h.Place(b, d)
	links := min(place+1, h.board[d]-place)
	switch leaf, _ := h.Leaf(d, board); {
	case i >= h.line[d].leaves:
		links++
	case i != leaf:
		links += 2
	}
	return links + h.between(1-d, line/h.board[1-d], line%h.board[1-d], b)
}

// between is Along from a place of a board along dimension d.
func (h *HammingMesh) between(d, from, at, b int) int {
	to, place := h.Place(b, d)
	out, in := min(at+1, h.board[d]-at), min(place+1, h.board[d]-place)
	if from == to {
		return min(max(at-place, place-at), out+in)
	}
	leaf, _ := h.Leaf(d, from)
	if other, _ := h.Leaf(d, to); other != leaf {
		return out + in + 2
	}
	return out + in
}

// DistanceFormula implements Direct.
func (h *HammingMesh) DistanceFormula() {}

// Group returns the board of an accelerator, or -1 for a switch. It implements Grouped.
func (h *HammingMesh) Group(router int) int {
	if router >= h.Accelerators() {
		return -1
	}
	return router / (h.board[0] * h.board[1])
}

// Dimensions implements Coordinated.
func (h *HammingMesh) Dimensions() []Dimension {
	return dimensions([]int{h.board[0] * h.boards[0], h.board[1] * h.boards[1]})
}

// Coordinates implements Coordinated. Switches have none.
func (h *HammingMesh) Coordinates(router int, list []int) []int {
	if router >= h.Accelerators() {
		return append(list, -1, -1)
	}
	for d := range h.board {
		board, place := h.Place(router, d)
		list = append(list, board*h.board[d]+place)
	}
	return list
}

// LinkDimension implements Coordinated.
func (h *HammingMesh) LinkDimension(router, port int) int {
	if router < h.Accelerators() {
		if port >= 4 {
			return -1
		}
		return port / 2
	}
	d, _, _ := h.Switch(router)
	return d
}

// Bisection returns the bandwidth of the links to switches of half of the boards: of each accelerator's
// four links 1/(2a) for square boards (section 3 of the paper). It implements Bisected.
func (h *HammingMesh) Bisection(bandwidth []int64) (rate int64, formula string) {
	if h.boards[0]%2+h.boards[1]%2 > 0 {
		return 0, ""
	}
	for d := range h.boards {
		across := int64(h.boards[d]*h.lines(d)) * bandwidth[int(LinkHost)+1+d]
		if d == 0 || across < rate {
			rate = across
		}
	}
	return rate, acrossOneDimension
}
