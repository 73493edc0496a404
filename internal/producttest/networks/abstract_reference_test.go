package networks

import (
	"container/heap"
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
)

// A plain simulator of the models without routers but LogGOPS (for which see package replay), which shares no code with package abstract or
// package node: one list of what comes next, ranks that go through rounds of computation, receives
// posted, sends, and a wait for all of them. Times are in ps.

// transfer is a message of a round.
type transfer struct{ src, dst, size int }

// round is what all ranks do before they wait.
type round struct {
	compute  []int64 // by rank
	messages []transfer
}

// plain holds the parameters and the state of the plain simulator.
type plain struct {
	latency, overhead, gap, perByte int64
	spare                           int64 // bytes of a message that take no time
	rounds                          []round
	ranks                           []plainRank
	next                            plainQueue
	number                          int
}

type plainRank struct {
	clock, sends, takes int64 // and when its NIC may start, and take, the next message
	round               int
	waits               bool
	open                map[key]bool // messages of the round that have not come
	came                map[key]*plainMessage
	sent                int64 // when the latest send was complete
	posted              map[key]int64
	end                 int64
}

type key struct{ round, src int }

type plainMessage struct {
	transfer
	round int
	order int
	begin int64 // -1: it is in memory
}

type plainEvent struct {
	at, a, b int64 // a message of rank a, the b-th
	message  *plainMessage
}

type plainQueue []plainEvent

func (q plainQueue) Len() int      { return len(q) }
func (q plainQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q plainQueue) Less(i, j int) bool {
	x, y := [3]int64{q[i].at, q[i].a, q[i].b}, [3]int64{q[j].at, q[j].a, q[j].b}
	return slices.Compare(x[:], y[:]) < 0
}
func (q *plainQueue) Push(e any) { *q = append(*q, e.(plainEvent)) }
func (q *plainQueue) Pop() any {
	e := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return e
}

func (p *plain) rest(size int) int64 { return max(0, int64(size)-p.spare) }

// run returns when each rank has ended.
func (p *plain) run(n int) []int64 {
	p.ranks = make([]plainRank, n)
	for i := range p.ranks {
		r := &p.ranks[i]
		r.open, r.came, r.posted = map[key]bool{}, map[key]*plainMessage{}, map[key]int64{}
	}
	for i := range p.ranks {
		p.goOn(i)
	}
	for p.next.Len() > 0 {
		e := heap.Pop(&p.next).(plainEvent)
		p.arrive(e.message, e.at)
	}
	var ends []int64
	for i := range p.ranks {
		ends = append(ends, p.ranks[i].end)
	}
	return ends
}

// goOn has a rank do what comes before its next wait.
func (p *plain) goOn(me int) {
	r := &p.ranks[me]
	for r.round < len(p.rounds) {
		at := r.round
		r.clock += p.rounds[at].compute[me]
		for _, m := range p.rounds[at].messages {
			if m.dst == me {
				k := key{at, m.src}
				r.posted[k] = r.clock
				if r.came[k] == nil {
					r.open[k] = true
				}
			}
		}
		// what had come before is settled at the wait; sends are called before that
		var late int64
		for _, m := range p.rounds[at].messages {
			if m.dst == me && !r.open[key{at, m.src}] {
				late += p.overhead
			}
		}
		r.sent = 0
		for _, m := range p.rounds[at].messages {
			if m.src == me {
				p.send(me, at, m)
			}
		}
		r.clock += late
		r.waits = true
		if !p.done(me) {
			return
		}
	}
	r.end, r.waits = r.clock, false
}

func (p *plain) send(me, at int, m transfer) {
	r := &p.ranks[me]
	r.clock += p.overhead
	start := max(r.clock, r.sends)
	r.sends = start + p.gap + p.rest(m.size)*p.perByte
	x := &plainMessage{transfer: m, round: at, order: p.number}
	r.sent = max(r.sent, start)
	if p.spare == 0 { // complete when it has been read
		r.sent = max(r.sent, start+p.rest(m.size)*p.perByte)
	}
	heap.Push(&p.next, plainEvent{at: start + p.latency, a: int64(me), b: int64(p.number), message: x})
	p.number++
}

// done ends the wait of a rank if all that it waits for is known.
func (p *plain) done(me int) bool {
	r := &p.ranks[me]
	if !r.waits || len(r.open) > 0 {
		return false
	}
	r.waits = false
	r.clock = max(r.clock, r.sent)
	r.round++
	return true
}

func (p *plain) look(me int) {
	if p.done(me) {
		p.goOn(me)
	}
}

// arrive has the NIC take a message whose first byte is there.
func (p *plain) arrive(m *plainMessage, now int64) {
	r := &p.ranks[m.dst]
	if m.begin == -1 { // it is in memory
		p.meet(m, now)
		return
	}
	bytes := p.rest(m.size)
	start := max(now, r.takes)
	r.takes = start + p.gap + bytes*p.perByte
	m.begin = -1
	at := start + bytes*p.perByte
	heap.Push(&p.next, plainEvent{at: at, a: int64(m.src), b: int64(m.order), message: m})
}

// meet lets a message that has been taken meet its receive, if that is posted.
func (p *plain) meet(m *plainMessage, now int64) {
	r := &p.ranks[m.dst]
	k := key{m.round, m.src}
	if _, posted := r.posted[k]; !posted {
		r.came[k] = m
		return
	}
	delete(r.open, k)
	r.clock = max(r.clock, now) + p.overhead
	p.look(m.dst)
}

// TestModelsAgainstPlainSimulator runs random programs on models with parameters, and on the
// plain simulator: every rank must end at the same picosecond, with any number of workers.
func TestModelsAgainstPlainSimulator(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(t, "ranks")
		p := &plain{rounds: drawRounds(t, n)}
		e := fabricast.Experiment{Ranks: n, TwoSided: true, Network: p.draw(t)}
		ends := make([]int64, n)
		e.Program = func(r *mpi.Rank) {
			for _, round := range p.rounds {
				r.Compute(mpi.Duration(round.compute[r.Rank()]))
				var open []mpi.Request
				for _, m := range round.messages {
					if m.dst == r.Rank() {
						open = append(open, r.Irecv(mpi.Size(m.size), m.src, 0))
					}
				}
				for _, m := range round.messages {
					if m.src == r.Rank() {
						open = append(open, r.Isend(mpi.Size(m.size), m.dst, 0))
					}
				}
				r.WaitAll(open)
			}
			ends[r.Rank()] = int64(r.Now())
		}
		want := p.run(n)
		for workers := 1; workers <= 3; workers++ {
			if _, err := e.Run(context.Background(), fabricast.Workers(workers)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(ends, want) {
				t.Fatalf("%d workers: ranks end at %v, want %v\n%s", workers, ends, want, p.text(e.Network.Model))
			}
		}
	})
}

func drawRounds(t *rapid.T, n int) []round {
	rounds := make([]round, rapid.IntRange(1, 4).Draw(t, "rounds"))
	for i := range rounds {
		seen := map[[2]int]bool{}
		for range n {
			rounds[i].compute = append(rounds[i].compute, rapid.Int64Range(0, 4000).Draw(t, "compute"))
		}
		for range rapid.IntRange(0, 2*n).Draw(t, "messages") {
			m := transfer{
				rapid.IntRange(0, n-1).Draw(t, "src"), rapid.IntRange(0, n-1).Draw(t, "dst"),
				rapid.IntRange(0, 20).Draw(t, "size"),
			}
			if pair := [2]int{m.src, m.dst}; m.src != m.dst && !seen[pair] {
				seen[pair] = true
				rounds[i].messages = append(rounds[i].messages, m)
			}
		}
	}
	return rounds
}

// draw chooses a model and its parameters.
func (p *plain) draw(t *rapid.T) experiment.Network {
	time := func(name string, least int64) *fabricast.Time {
		v := fabricast.Time(rapid.Int64Range(least, 1000).Draw(t, name))
		return &v
	}
	perByte := func(name string) *fabricast.PerByte {
		v := 1000 * fabricast.PerByte(rapid.Int64Range(0, 100).Draw(t, name)) // whole ps
		return &v
	}
	n := experiment.Network{Model: rapid.SampledFrom([]string{
		experiment.ModelAlphaBeta, experiment.ModelLogP, experiment.ModelLogGP,
	}).Draw(t, "model")}
	if n.Model == experiment.ModelAlphaBeta {
		n.Parameters.Alpha, n.Parameters.Beta = time("alpha", 1), perByte("beta")
		p.latency, p.perByte = int64(*n.Parameters.Alpha), int64(*n.Parameters.Beta)/1000
		p.overhead = int64(200 * fabricast.Nanosecond)
		return n
	}
	n.Parameters.L, n.Parameters.Overhead, n.Parameters.Gap = time("L", 1), time("o", 0), time("g", 0)
	p.latency, p.overhead = int64(*n.Parameters.L), int64(*n.Parameters.Overhead)
	p.gap = int64(*n.Parameters.Gap)
	p.spare = 1
	if n.Model != experiment.ModelLogP {
		n.Parameters.GapPerByte = perByte("G")
		p.perByte = int64(*n.Parameters.GapPerByte) / 1000
	}
	return n
}

func (p *plain) text(model string) string {
	return fmt.Sprintf("%s: L %d, o %d, g %d, G %d\n%+v", model, p.latency, p.overhead, p.gap, p.perByte, p.rounds)
}
