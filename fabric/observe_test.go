package fabric_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"fabricast/internal/units"

	"pgregory.net/rapid"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
	"fabricast/topology"
)

// notes is a Sink that keeps everything.
type notes struct {
	sync.Mutex
	interval int64
	links    map[[2]int64]fabric.LinkBin // by bin (of the last interval) and link
	buffers  []string
	passages []fabric.Passage
	next     map[int]int64
	held     map[int32]int64 // byte·ps, by port
	wrong    string
}

func (n *notes) Window(block int, begin int64) {}

func (n *notes) Bin(block int, bin *fabric.Bin) {
	n.Lock()
	defer n.Unlock()
	if int64(bin.Begin) < n.next[block] || int64(bin.Next) < int64(bin.Begin)+int64(bin.Interval) {
		n.wrong = fmt.Sprintf(
			"a bin from %d for %d ps with the next at %d, after one whose next was at %d",
			int64(bin.Begin), int64(bin.Interval), int64(bin.Next), n.next[block],
		)
	}
	n.next[block] = int64(bin.Next)
	if int64(bin.Interval) > n.interval {
		n.interval = int64(bin.Interval)
	}
	for _, row := range bin.Links {
		key := [2]int64{int64(bin.Begin), int64(row.Link)}
		was := n.links[key]
		row.Packets += was.Packets
		row.Bytes += was.Bytes
		row.NoCredit += was.NoCredit
		row.BusyOutput += was.BusyOutput
		row.BusyCrossbar += was.BusyCrossbar
		n.links[key] = row
	}
	for _, row := range bin.Buffers {
		n.buffers = append(n.buffers, fmt.Sprint(int64(bin.Begin), row))
		n.held[row.Port] += row.Held
	}
}

func (n *notes) Divided(block int, d *fabric.Divided) {}

func (n *notes) Hop(block int, h *fabric.Hop) {}

func (n *notes) Passage(block int, p *fabric.Passage) {
	n.Lock()
	defer n.Unlock()
	n.passages = append(n.passages, *p)
}

// sorted puts what has no order into one.
func (n *notes) sorted() *notes {
	slices.Sort(n.buffers)
	slices.SortFunc(n.passages, func(a, b fabric.Passage) int {
		return cmp.Or(
			cmp.Compare(int64(a.Out), int64(b.Out)), cmp.Compare(a.Router, b.Router),
			cmp.Compare(a.OutPort, b.OutPort), cmp.Compare(a.Port, b.Port),
		)
	})
	return n
}

// dropCredit forgets what packets waited for credit.
func (n *notes) dropCredit() {
	for key, row := range n.links {
		if row.NoCredit = 0; row == (fabric.LinkBin{Link: row.Link}) {
			delete(n.links, key)
		} else {
			n.links[key] = row
		}
	}
}

// same tells how two differ.
func (n *notes) same(m *notes) string {
	for key, row := range n.links {
		if m.links[key] != row {
			return fmt.Sprintf("bin at %d: %+v and %+v", key[0], row, m.links[key])
		}
	}
	switch {
	case len(n.links) != len(m.links):
		return fmt.Sprintf("%d and %d rows", len(n.links), len(m.links))
	case !slices.Equal(n.buffers, m.buffers):
		for i := range min(len(n.buffers), len(m.buffers)) {
			if n.buffers[i] != m.buffers[i] {
				return fmt.Sprintf("buffers %s and %s", n.buffers[i], m.buffers[i])
			}
		}
		return fmt.Sprintf("%d and %d rows of buffers", len(n.buffers), len(m.buffers))
	case !slices.Equal(n.passages, m.passages):
		for i := range min(len(n.passages), len(m.passages)) {
			if n.passages[i] != m.passages[i] {
				return fmt.Sprintf("%+v and %+v", n.passages[i], m.passages[i])
			}
		}
		return fmt.Sprintf("%d and %d passages", len(n.passages), len(m.passages))
	}
	return ""
}

// noted runs an experiment and keeps what is told of it.
func noted(
	t *rapid.T,
	e *experiments.Experiment,
	o fabric.Observation,
	path newNetwork,
	blocks, workers int,
) (*notes, *experiments.Outcome) {
	n := &notes{links: map[[2]int64]fabric.LinkBin{}, next: map[int]int64{}, held: map[int32]int64{}}
	o.Sink = n
	outcome, err := simulate(e, blocks, workers, func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
		if blocks > 2 { // of any routers
			spec.Cut = scatter(spec.Graph.Routers)
		}
		network, err := path(spec, blocks)
		if err == nil {
			network.Observe(o)
		}
		return network, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n.wrong != "" {
		t.Fatal(n.wrong)
	}
	return n.sorted(), outcome
}

// totals checks that bins add up to what the network has counted.
func totals(t *rapid.T, e *experiments.Experiment, n *notes, outcome *experiments.Outcome) {
	spec, err := e.Spec()
	if err != nil {
		t.Fatal(err)
	}
	packets, bytes := map[int32]int64{}, map[int32]int64{}
	for key, row := range n.links {
		if row.Link != int32(key[1]) || row.NoCredit < 0 || row.BusyOutput < 0 || row.BusyCrossbar < 0 {
			t.Fatalf("row %+v", row)
		}
		packets[row.Link] += row.Packets
		bytes[row.Link] += int64(row.Bytes)
	}
	link := int32(0)
	for p, port := range spec.Graph.Ports {
		if port.Peer == topology.Unconnected && port.NIC == topology.Unconnected {
			continue
		}
		if use := outcome.Ports[p]; use.Packets != packets[link] || use.Bytes != bytes[link] {
			t.Fatalf("port %d: %+v, bins add up to %d packets, %d bytes", p, use, packets[link], bytes[link])
		}
		link++
	}
	for nic, use := range outcome.NICs {
		if at := link + int32(nic); use.Packets != packets[at] || use.Bytes != bytes[at] {
			t.Fatalf("NIC %d: %+v, bins add up to %d packets, %d bytes", nic, use, packets[at], bytes[at])
		}
	}
}

// TestObservation: what is observed changes no outcome, adds up to the totals, and does not
// depend on blocks, workers and streams, on either path.
func TestObservation(t *testing.T) {
	for name, d := range map[string]draw{
		"plain": experiments.Draw, "streams": experiments.DrawStreams, "general": experiments.DrawGeneral, "classes": experiments.DrawClassed, "topologies": experiments.DrawShaped,
	} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { observed(t, d) }) })
	}
}

func observed(t *rapid.T, d draw) {
	e := d(rapid.Uint64Range(0, 1<<40).Draw(t, "seed"))
	plain, err := simulate(e, 1, 1, fabric.New)
	if err != nil {
		t.Fatal(err)
	}
	o := fabric.Observation{
		Interval: units.Time(rapid.Int64Range(50_000, 10_000_000).Draw(t, "interval")),
		Buffers:  rapid.Bool().Draw(t, "buffers"),
		LogFrom:  0, LogTo: units.Time(fabric.Forever),
	}
	if rapid.Bool().Draw(t, "auto") {
		o.MaxBins = 2 * rapid.Int64Range(1, 20).Draw(t, "most")
	}
	if rapid.Bool().Draw(t, "log") {
		o.Routers = func(router int) bool { return router%2 == 0 }
	}
	want, outcome := noted(t, e, o, withoutStreams, 1, 1)
	if text := experiments.Diff(e, plain, outcome); text != "" {
		t.Fatalf("observed: %s\n%v", text, e)
	}
	totals(t, e, want, outcome)
	passages(t, want)
	if o.Buffers && o.Routers != nil && !outcome.Stuck {
		stays(t, e, want)
	}
	got, _ := noted(t, e, o, withShortStreams, rapid.IntRange(1, 4).Draw(t, "blocks"), rapid.IntRange(1, 3).Draw(t, "workers"))
	if outcome.Stuck {
		// Each block stops at its own last window, and tells until then what stays in buffers for
		// ever.
		want.buffers, got.buffers = nil, nil
		want.dropCredit()
		got.dropCredit()
	}
	if text := want.same(got); text != "" {
		t.Fatalf("blocks: %s\n%v", text, e)
	}
}

// passages checks that what a packet waited for adds up.
func passages(t *rapid.T, n *notes) {
	for _, p := range n.passages {
		if int64(p.In)+int64(p.Order)+int64(p.Credit)+int64(p.BusyOutput)+int64(p.BusyInside) != int64(p.Out) ||
			p.Order < 0 ||
			p.Credit < 0 ||
			p.BusyOutput < 0 ||
			p.BusyInside < 0 {
			t.Fatalf("%+v", p)
		}
	}
}

// stays checks that what buffers of the routers that are logged have held are the stays of the
// packets that were there.
func stays(t *rapid.T, e *experiments.Experiment, n *notes) {
	spec, err := e.Spec()
	if err != nil {
		t.Fatal(err)
	}
	held := map[int]int64{}
	for port, sum := range n.held {
		if router := int(spec.Graph.Ports[port].Router); router%2 == 0 {
			held[router] += sum
		}
	}
	for _, p := range n.passages {
		held[int(p.Router)] -= int64(p.Bytes) * (int64(p.Out) - int64(p.In))
	}
	for router, left := range held {
		if left != 0 {
			t.Fatalf(
				"router %d: buffers held %d byte·ps more than the packets that were there\n%v",
				router, left, e,
			)
		}
	}
}

// TestObservationEndsEarly: a run that is stopped can be told of as far as it came.
func TestObservationEndsEarly(t *testing.T) {
	spec, err := experiments.Draw(7).Spec()
	if err != nil {
		t.Fatal(err)
	}
	network, err := fabric.New(spec, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer network.Close()
	n := &notes{links: map[[2]int64]fabric.LinkBin{}, next: map[int]int64{}, held: map[int32]int64{}}
	network.Observe(fabric.Observation{Interval: 1000, Sink: n})
	var stop atomic.Bool
	stop.Store(true)
	var parts []engine.Block
	for _, b := range network.Blocks() {
		parts = append(parts, b)
	}
	if _, err := engine.Run(parts, 1, &stop); err != nil {
		t.Fatal(err)
	}
	network.EndObservation(fabric.Forever)
	if len(n.next) != len(parts) {
		t.Errorf("%d of %d blocks told their bins", len(n.next), len(parts))
	}
}
