package pacing_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/collective"
	"fabricast/collective/alltoall"
	"fabricast/collective/barrier"
	"fabricast/collective/broadcast"
	"fabricast/collective/reduce"
	"fabricast/node"
	"fabricast/pacing"
	"fabricast/routing"
	"fabricast/topology"
)

// torus is a network with dimension-order routing that goes up where both ways are equally long.
func torus(t interface{ Fatal(...any) }, dims ...int) *pacing.Network {
	shape, err := topology.NewTorus(dims, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	dor, err := routing.NewDOR(shape, 2, routing.TieUp)
	if err != nil {
		t.Fatal(err)
	}
	return &pacing.Network{Graph: shape.Graph(), Routing: dor}
}

// pattern makes every host send to the one that a function tells.
func pattern(hosts, steps int, to func(step, host int) int) iter.Seq[pacing.Message] {
	return func(yield func(pacing.Message) bool) {
		for step := range steps {
			for host := range hosts {
				if !yield(pacing.Message{Step: step, From: host, To: to(step, host)}) {
					return
				}
			}
		}
	}
}

func gaps(t *testing.T, n *pacing.Network, p iter.Seq[pacing.Message], want ...uint32) {
	t.Helper()
	got, err := n.Gaps(p)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("gaps %d, want %d", got, want)
	}
}

func TestGapsOfKnownPatterns(t *testing.T) {
	// A shift by d <= k/2 on a ring: d messages cross each link.
	gaps(
		t,
		torus(t, 8),
		pattern(8, 8, func(step, host int) int { return (host + step) % 8 }),
		0,
		0,
		1,
		2,
		3,
		2,
		1,
		0,
	)
	// A tornado goes just short of half-way round: 3 hops on 8 nodes, 4 on 9.
	gaps(t, torus(t, 8), pattern(8, 1, func(_, host int) int { return (host + 3) % 8 }), 2)
	gaps(t, torus(t, 9), pattern(9, 1, func(_, host int) int { return (host + 4) % 9 }), 3)
	// In two dimensions the rows do not meet.
	gaps(t, torus(t, 8, 4), pattern(32, 1, func(_, host int) int { return host/8*8 + (host+3)%8 }), 2)
	// XOR with 1: neighbours. With 2: two of the pairs share a link. With 4, all go up 4 hops.
	gaps(t, torus(t, 8), pattern(8, 3, func(step, host int) int { return host ^ 1<<step }), 0, 1, 3)
	// All to one: of the 7 others, 4 come the one way and 3 the other.
	gaps(t, torus(t, 8), pattern(8, 1, func(int, int) int { return 0 }), 3)
	// In a square all but those of the last column come by way of it: 4 rows of 4 meet in two
	// directions.
	gaps(t, torus(t, 4, 4), pattern(16, 1, func(int, int) int { return 0 }), 7)
	// To itself a host sends by no link at all.
	gaps(t, torus(t, 4), pattern(4, 1, func(_, host int) int { return host }), 0)
}

// By hop counts it is the longest route of a step that counts, not how many share a link.
func TestHopGaps(t *testing.T) {
	for _, c := range []struct {
		network *pacing.Network
		pattern iter.Seq[pacing.Message]
		want    []uint32
	}{
		// as MOD
		{torus(t, 8), pattern(8, 8, func(step, host int) int { return (host + step) % 8 }), []uint32{0, 0, 1, 2, 3, 2, 1, 0}},
		// 3 + 1 or 2 hops
		{torus(t, 8, 4), pattern(32, 1, func(_, host int) int { return (host + 8 + 3) % 32 }), []uint32{4}},
		{torus(t, 8), pattern(8, 1, func(int, int) int { return 0 }), []uint32{3}},
		// where MOD's are 7
		{torus(t, 4, 4), pattern(16, 2, func(step, _ int) int { return 5 * step }), []uint32{3, 3}},
		{torus(t, 4), pattern(4, 1, func(_, host int) int { return host }), []uint32{0}},
	} {
		got, err := c.network.HopGaps(c.pattern)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("gaps %d, want %d, %v", got, c.want, err)
		}
	}
}

func TestStepsWithoutMessages(t *testing.T) {
	n := torus(t, 8)
	list := []pacing.Message{{Step: 1, From: 0, To: 2}, {Step: 1, From: 1, To: 2}, {Step: 4, From: 0, To: 1}}
	gaps(t, n, slices.Values(list), 0, 1, 0, 0, 0)
	gaps(t, n, slices.Values(list[:0]), 0)
}

func TestWrongPatterns(t *testing.T) {
	n := torus(t, 8)
	for _, c := range []struct {
		list []pacing.Message
		want string
	}{
		{[]pacing.Message{{Step: 1}, {Step: 0}}, "found a message of step 0 after one of step 1"},
		{[]pacing.Message{{Step: -1}}, "found a message of step -1, expected steps from 0 to 16777215"},
		{[]pacing.Message{{Step: 0}, {Step: 1 << 30}}, "found a message of step 1073741824, expected steps from 0 to 16777215"},
		{[]pacing.Message{{From: 8}}, "from host 8 to host 0, expected hosts from 0 to 7"},
		{[]pacing.Message{{To: -1}}, "from host 0 to host -1, expected hosts from 0 to 7"},
	} {
		if _, err := n.Gaps(slices.Values(c.list)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.list, err, c.want)
		}
	}
}

// Counting step by step gives what listing the links of all routes does.
func TestGapsAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := append(
			[]int{rapid.IntRange(2, 6).Draw(t, "first")},
			rapid.SliceOfN(rapid.IntRange(1, 6), 0, 2).Draw(t, "others")...)
		hosts := 1
		for _, k := range dims {
			hosts *= k
		}
		n := torus(t, dims...)
		host := rapid.IntRange(0, hosts-1)
		var list []pacing.Message
		for step := range rapid.IntRange(1, 4).Draw(t, "steps") {
			for range rapid.IntRange(1, 40).Draw(t, "messages") {
				list = append(
					list,
					pacing.Message{Step: step, From: host.Draw(t, "from"), To: host.Draw(t, "to")},
				)
			}
		}
		got, err := n.Gaps(slices.Values(list))
		if err != nil {
			t.Fatal(err)
		}
		crossed := map[[3]int]uint32{}
		want := make([]uint32, list[len(list)-1].Step+1)
		for _, m := range list {
			for _, link := range route(dims, m.From, m.To) {
				key := [3]int{m.Step, link[0], link[1]}
				crossed[key]++
				want[m.Step] = max(want[m.Step], crossed[key]-1)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("gaps %d, want %d", got, want)
		}
	})
}

// route lists the links that dimension order takes on a torus, as the router where each
// begins and the direction: 2d up, 2d + 1 down in dimension d.
func route(dims []int, from, to int) (links [][2]int) {
	stride := 1
	for d, k := range dims {
		a, b := from/stride%k, to/stride%k
		up := (b - a + k) % k
		hop, direction := 1, 2*d
		if 2*up > k {
			up, hop, direction = k-up, k-1, 2*d+1
		}
		for range up {
			links = append(links, [2]int{from, direction})
			next := (from/stride%k + hop) % k
			from += (next - from/stride%k) * stride
		}
		stride *= k
	}
	return links
}

// steps lists the messages of each step of a collective on so many ranks, by rank.
func steps(ranks int, run func(c collective.Comm)) (list [][]int) {
	for m := range pacing.Steps(ranks, run) {
		for m.Step >= len(list) {
			list = append(list, slices.Repeat([]int{-1}, ranks))
		}
		list[m.Step][m.From] = m.To
	}
	return list
}

func TestStepsOfCollectives(t *testing.T) {
	alltoall := func(a collective.Algorithm) func(c collective.Comm) {
		return func(c collective.Comm) { alltoall.Run(c, node.Size(4*c.Size()), node.Size(4*c.Size()), a) }
	}
	ring := [][]int{{1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}}
	for _, c := range []struct {
		name string
		run  func(c collective.Comm)
		want [][]int
	}{
		{"ring", alltoall(collective.Ring), ring},
		{"simple spread", alltoall(collective.SimpleSpread), ring},
		{"pairwise", alltoall(collective.Pairwise), [][]int{{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}}},
		{"bruck", alltoall(collective.Bruck), [][]int{{1, 2, 3, 0}, {2, 3, 0, 1}}},
		{"butterfly", alltoall(collective.Butterfly), [][]int{{1, 0, 3, 2}, {2, 3, 0, 1}}},
		// The root sends in steps 0 and 1; rank 2, which has received in step 0, in step 1.
		{"broadcast", func(c collective.Comm) { broadcast.Run(c, node.Size(8), 0, collective.Binomial) }, [][]int{{2, -1, -1, -1}, {1, -1, 3, -1}}},
	} {
		got := steps(4, c.run)
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if got := steps(1, alltoall(collective.Ring)); len(got) != 0 {
		t.Errorf("one rank sends %v", got)
	}
}

// What waits for a message is a step later than that message, however few messages its rank has
// sent before.
func TestStepsWaitForMessages(t *testing.T) {
	const none = -1
	buf := node.Size(8)
	for _, c := range []struct {
		name  string
		ranks int
		run   func(c collective.Comm)
		want  [][]int
	}{
		// Rank 2 has received in step 1 and sends in step 2, rank 4 in steps 1 and 2.
		{"broadcast", 8, func(c collective.Comm) { broadcast.Run(c, buf, 0, collective.Binomial) }, [][]int{
			{4, none, none, none, none, none, none, none},
			{2, none, none, none, 6, none, none, none},
			{1, none, 3, none, 5, none, 7, none},
		}},
		{"reduce", 8, func(c collective.Comm) {
			reduce.Run(c, buf, buf, collective.SumInt64, 0, collective.Binomial)
		}, [][]int{
			{none, 0, none, 2, none, 4, none, 6},
			{none, none, 0, none, none, none, 4, none},
			{none, none, none, none, 0, none, none, none},
		}},
		// Ranks 4 and 5 take part by way of 0 and 1; 2 and 3 need not wait for them before their
		// first message.
		{"fold", 6, func(c collective.Comm) {
			rank := c.Rank()
			switch {
			case rank >= 4:
				c.Send(buf, rank-4, 0)
				c.Recv(buf, rank-4, 0)
				return
			case rank < 2:
				c.Recv(buf, rank+4, 0)
			}
			for k := 1; k < 4; k *= 2 {
				c.Sendrecv(buf, rank^k, 0, buf, rank^k, 0)
			}
			if rank < 2 {
				c.Send(buf, rank+4, 0)
			}
		}, [][]int{
			{none, none, 3, 2, 0, 1},
			{1, 0, 0, 1, none, none},
			{2, 3, none, none, none, none},
			{4, 5, none, none, none, none},
		}},
		{"chain", 4, func(c collective.Comm) {
			if c.Rank() > 0 {
				c.Recv(buf, c.Rank()-1, 0)
			}
			if c.Rank() < 3 {
				c.Send(buf, c.Rank()+1, 0)
			}
		}, [][]int{{1, none, none, none}, {none, 2, none, none}, {none, none, 3, none}}},
		// Receives that do not block do not hold up what follows.
		{"posted", 2, func(c collective.Comm) {
			c.Irecv(buf, 1-c.Rank(), 0)
			c.Isend(buf, 1-c.Rank(), 0)
			c.Send(buf, 1-c.Rank(), 0)
			c.Recv(buf, 1-c.Rank(), 0)
			c.Send(buf, 1-c.Rank(), 0)
		}, [][]int{{1, 0}, {1, 0}, {1, 0}}},
		{"anybody", 3, func(c collective.Comm) {
			if c.Rank() > 0 {
				c.Send(buf, 0, 0)
				return
			}
			c.Recv(buf, -1, 0)
			c.Recv(buf, -1, 0)
			c.Send(buf, 1, 0)
		}, [][]int{{none, 0, 0}, {1, none, none}}},
		{"stuck", 2, func(c collective.Comm) {
			c.Send(buf, 1-c.Rank(), 0)
			for range 2 {
				c.Recv(buf, 1-c.Rank(), 0)
			}
			c.Send(buf, 1-c.Rank(), 0)
		}, [][]int{{1, 0}}},
	} {
		if got := steps(c.ranks, c.run); !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// Who does not want all steps need not take them.
func TestStepsMayBeLeft(t *testing.T) {
	for m := range pacing.Steps(6, func(c collective.Comm) { barrier.Run(c, collective.Ring) }) {
		if m.Step == 2 {
			break
		}
	}
}

// Of randomized and adaptive algorithms one route counts, always the same.
func TestGapsWhereChanceDecides(t *testing.T) {
	shape, err := topology.NewTorus([]int{4, 4}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	shift := pattern(16, 1, func(_, host int) int { return host/4*4 + (host+1)%4 })
	for _, choice := range []routing.Choice{routing.ChoicePacket, routing.ChoiceQueue} {
		algorithm, err := routing.NewDORWith(shape, 4, routing.TieUp, 0, choice)
		if err != nil {
			t.Fatal(err)
		}
		n := &pacing.Network{Graph: shape.Graph(), Seed: 5}
		if a, ok := algorithm.(routing.Adaptive); ok {
			n.Adaptive = a
		} else {
			n.Routing = algorithm.(routing.Function)
		}
		gaps(t, n, shift, 0)
	}
}
