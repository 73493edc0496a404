package run

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/checkpoint"
	"fabricast/internal/draws"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/rdma"
)

// drawn is a random program in Go, with the same phases on all ranks. Its sums are hashes of all
// data that the ranks have received and observed.
type drawn struct {
	seed   uint64
	phases []func(g *going)
	sums   []uint64 // by rank, set when the rank has ended
}

// going is one rank of a drawn program.
type going struct {
	*mpi.Rank
	d    *rand.Rand // yields the same numbers on all ranks
	own  *rand.Rand
	sum  uint64
	comm *mpi.Comm // of a subset of the ranks
}

// note adds numbers to the sum.
func (g *going) note(numbers ...int64) {
	h := fnv.New64a()
	for _, n := range append(numbers, int64(g.sum)) {
		_ = binary.Write(h, binary.LittleEndian, n)
	}
	g.sum = h.Sum64()
}

// noteAll adds the contents of a message to the sum.
func (g *going) noteAll(b []byte) {
	h := fnv.New64a()
	h.Write(b)
	g.note(int64(h.Sum64()))
}

// bytes returns n bytes that depend on everything received before.
func (g *going) bytes(n int) []byte {
	b, d := make([]byte, n), rand.NewPCG(g.sum, 3)
	for i := range b {
		b[i] = byte(d.Uint64())
	}
	return b
}

// beside returns the ranks at distance k in either direction in the world.
func (g *going) beside(k int) (up, down int) {
	n := g.Size()
	return (g.Rank.Rank() + k) % n, (g.Rank.Rank() - k%n + n) % n
}

// allPhases are the phases from which programs are drawn.
var allPhases = map[string]func(g *going){
	"ring": func(g *going) {
		size := 1 << g.d.IntN(14)
		up, down := g.beside(1 + g.d.IntN(5))
		in := make([]byte, size)
		qs := []mpi.Request{g.Irecv(mpi.Data(in), down, 3), g.Isend(mpi.Data(g.bytes(size)), up, 3)}
		g.Compute(mpi.Duration(g.own.IntN(1000)) * mpi.Nanosecond)
		g.WaitAll(qs)
		g.noteAll(in)
	},
	"any": func(g *going) {
		up, down := g.beside(1)
		var qs []mpi.Request
		in := make([][]byte, 3)
		for i := range in {
			in[i] = make([]byte, 2000)
			qs = append(qs, g.Irecv(mpi.Data(in[i]), down, mpi.AnyTag))
		}
		for i := range in {
			qs = append(qs, g.Isend(mpi.Data(g.bytes(500*(i+1))), up, i))
		}
		for range qs {
			i, s := g.WaitAny(qs)
			g.note(int64(i), int64(s.Source), int64(s.Tag), int64(s.Size))
		}
		for i := range in {
			g.noteAll(in[i])
		}
	},
	"polls": func(g *going) {
		up, down := g.beside(2)
		q := g.Isend(mpi.Data(g.bytes(3000)), up, 9)
		looks := int64(0)
		for {
			s, found := g.Iprobe(mpi.AnySource, 9)
			if looks++; found {
				g.note(looks, int64(s.Source), int64(s.Size))
				break
			}
			g.Compute(300 * mpi.Nanosecond)
		}
		in := make([]byte, 3000)
		r := g.Irecv(mpi.Data(in), down, 9)
		for {
			s, done := g.Test(r)
			if looks++; done {
				g.note(looks, int64(s.Size))
				break
			}
		}
		g.Wait(q)
		g.noteAll(in)
	},
	"sizes": func(g *going) {
		up, down := g.beside(3)
		s := g.Sendrecv(mpi.Size(70000), up, 1, mpi.Size(70000), down, 1)
		g.note(int64(s.Size), int64(g.Now()))
	},
	"probe": func(g *going) {
		up, _ := g.beside(1)
		q := g.Issend(mpi.Data(g.bytes(1+g.own.IntN(999))), up, 4)
		s := g.Probe(mpi.AnySource, 4)
		in := make([]byte, s.Size)
		g.Recv(mpi.Data(in), s.Source, 4)
		g.Wait(q)
		g.noteAll(in)
	},
	"allreduce": func(g *going) {
		in, out := g.bytes(4096), make([]byte, 4096)
		g.Allreduce(mpi.Data(in), mpi.Data(out), collective.SumInt64, collective.Default)
		g.noteAll(out)
	},
	"split": func(g *going) {
		g.comm = g.Split(g.own.IntN(3), g.own.IntN(100))
		g.comm = g.comm.Dup()
		all := make([]byte, 64*g.comm.Size())
		g.comm.Allgather(mpi.Data(g.bytes(64)), mpi.Data(all), collective.Default)
		g.noteAll(all)
	},
	"within": func(g *going) {
		if c := g.comm; c != nil {
			b := make([]byte, 100)
			if c.Rank() == 0 {
				b = g.bytes(100)
			}
			c.Broadcast(mpi.Data(b), 0, collective.Default)
			g.noteAll(b)
		}
	},
	"window": func(g *going) {
		memory := g.bytes(512)
		w := g.CreateWin(mpi.Data(memory), 1)
		up, down := g.beside(1)
		got, old := make([]byte, 64), make([]byte, 8)
		w.Fence()
		w.Put(mpi.Data(g.bytes(64)), up, 0)
		w.Get(mpi.Data(got), down, 448)
		w.Accumulate(mpi.Data(g.bytes(128)), collective.SumInt64, up, 128)
		w.Fence()
		w.Lock(0, g.own.IntN(2) == 0)
		w.GetAccumulate(mpi.Data(g.bytes(8)), mpi.Data(old), mpi.Replace, 0, 256+8*g.Rank.Rank()%64)
		w.Flush(0)
		w.Unlock(0)
		w.Free()
		g.noteAll(got)
		g.noteAll(old)
		g.noteAll(memory)
	},
	"rdma": func(g *going) {
		nic := rdma.Open(g.Rank)
		memory := make([]byte, 64)
		region := nic.Register(mpi.Data(memory))
		g.Barrier(collective.Default)
		up, _ := g.beside(1)
		h := nic.FetchAdd(region.At(0, 0), int64(1+g.Rank.Rank()))
		nic.Complete(nic.Put(mpi.Data(g.bytes(32)), region.At(up, 16), 5))
		s := nic.Poll(5)
		g.note(nic.Complete(h), int64(s.Source), int64(s.Size))
		g.noteAll(memory[8:])
		g.Barrier(collective.Default)
		nic.Unregister(region)
	},
	"clock": func(g *going) { g.note(int64(g.Now())) },
}

// drawGo draws the names of the phases of a program in Go, and the rest of its experiment.
func drawGo(d *rand.Rand) (text string, names []string) {
	for name := range allPhases {
		names = append(names, name)
	}
	slices.Sort(names)
	var list []string
	for range 3 + d.IntN(12) {
		list = append(list, names[d.IntN(len(names))])
	}
	return fmt.Sprintf(
		"seed: %d\nnetwork: %s\nnode: {nics: %s, ranks: %s%s}\n", d.IntN(1000),
		one(
			d,
			"{topology: {kind: torus, dims: [3, 3, 2]}}",
			"{topology: {kind: mesh, dims: [4, 3]}}",
			"{topology: {kind: fat-tree, radix: 4, levels: 3}}",
			"{topology: {kind: dragonfly, p: 1, a: 4, h: 1}}",
			"{topology: {kind: torus, dims: [4, 4]}, routing: {algorithm: adaptive}, router: {vcs: 3}}",
		),
		one(d, "1", "2"), one(d, "1", "2"),
		one(
			d, "", ", copies: one", ", protocol: {eager: 1KiB, rendezvous: write}",
			", protocol: {eager: 100B, rendezvous: read}",
		),
	), list
}

// main runs the phases on a rank.
func (p *drawn) main(r *mpi.Rank) {
	g := &going{
		Rank: r, d: rand.New(rand.NewPCG(p.seed, 1)), sum: uint64(r.Rank()),
		own: rand.New(rand.NewPCG(p.seed, uint64(r.Rank()))),
	}
	for _, phase := range p.phases {
		phase(g)
	}
	p.sums[r.Rank()] = g.sum
}

// advanceGo advances a drawn program to the given round.
func advanceGo(
	t testing.TB, text string, p *drawn, s settings, round uint64,
) (next string, r *Result, err error) {
	e := resolved(t, text+"workload: {program: barrier}\n")
	e.Workload, p.sums = experiment.Workload{}, make([]uint64, e.Ranks)
	e.Program = p.main
	return advance(t, text, e, s, round)
}

// TestResumedGo stops a program in Go at random windows and resumes it from its checkpoints and its
// journal. It must end with the result of an uninterrupted run.
func TestResumedGo(t *testing.T) {
	seeds, stops := 0, 0
	for seed := range draws.Seeds(15, 300) {
		seeds++
		d := rand.New(rand.NewPCG(seed, 41))
		text, names := drawGo(d)
		p := &drawn{seed: seed}
		for _, name := range names {
			p.phases = append(p.phases, allPhases[name])
		}
		text += "# " + strings.Join(names, " ") + "\n"
		s := settings{
			out: filepath.Join(t.TempDir(), "result"), workers: 1 + d.IntN(4), checkpoints: &Checkpoints{},
		}
		plain := s
		plain.checkpoints, plain.out = nil, filepath.Join(t.TempDir(), "plain")
		_, want, err := advanceGo(t, text, p, plain, forever)
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, text)
		}
		sums := p.sums
		got, stopped, err := inStages(t, d, s, 13, func(s settings, round uint64) (string, *Result, error) {
			return advanceGo(t, text, p, s, round)
		})
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, text)
		}
		stops += stopped
		if same(got) != same(want) || !slices.Equal(p.sums, sums) {
			t.Fatalf("%d: resumed: %s %x\nat once: %s %x\n%s", seed, same(got), p.sums, same(want), sums, text)
		}
	}
	if 2*stops < seeds && !testing.Short() {
		t.Errorf("%d stops in %d runs", stops, seeds)
	}
}

// BenchmarkRunningAgain measures the cost of executing a program in Go again from its journal up to
// its last window: seconds per million calls, and the percentage of the time of the simulation
// without a journal. It also reports the length of the journal.
func BenchmarkRunningAgain(b *testing.B) {
	const text = "network: {topology: {dims: [4, 4, 4]}}\nnode: {ranks: 2}\n"
	const ranks, rounds, callsEach = 128, 1000, 3
	for _, size := range []int{8, 1024, 16384} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			p := &drawn{phases: []func(*going){func(g *going) {
				in, out := make([]byte, size), make([]byte, size)
				for i := range rounds {
					up, down := g.beside(1 + i%7)
					g.WaitAll([]mpi.Request{g.Irecv(mpi.Data(in), down, 0), g.Isend(mpi.Data(out), up, 0)})
				}
			}}}
			s := settings{out: filepath.Join(b.TempDir(), "result"), workers: 1}
			timed := func(s settings, round uint64) (string, *Result, float64) {
				begin := time.Now()
				next, r, err := advanceGo(b, text, p, s, round)
				if err != nil {
					b.Fatal(err)
				}
				return next, r, time.Since(begin).Seconds()
			}
			var simulated, again float64
			var journal int64
			for range b.N {
				_, whole, took := timed(s, forever)
				simulated += took
				kept := s
				kept.checkpoints = &Checkpoints{}
				next, _, _ := timed(kept, whole.Windows-1)
				from, err := checkpoint.Open(next)
				if err != nil {
					b.Fatal(err)
				}
				journal = from.Journal.Bytes
				Resume(from)(&kept)
				kept.checkpoints = nil
				_, _, took = timed(kept, forever)
				again += took
				from.Close()
			}
			calls := float64(ranks * rounds * callsEach)
			b.ReportMetric(again/float64(b.N)/calls*1e6, "s/Mcalls")
			b.ReportMetric(100*again/simulated, "%-of-simulated")
			b.ReportMetric(float64(journal)/calls, "B/call")
		})
	}
}

// TestRefusedJournal checks that a program that behaves differently when executed again is refused,
// with the rank and both calls. So is a modified or missing journal.
func TestRefusedJournal(t *testing.T) {
	const text = "network: {topology: {dims: [2, 2]}}\n"
	s := settings{out: filepath.Join(t.TempDir(), "result"), workers: 2, checkpoints: &Checkpoints{}}
	size := 100
	p := &drawn{phases: []func(*going){func(g *going) {
		up, down := g.beside(1)
		for i := range 50 {
			n := 64
			if g.Rank.Rank() == 3 && i == 1 {
				n = size
			}
			g.Sendrecv(mpi.Data(make([]byte, n)), up, i, mpi.Data(make([]byte, 1000)), down, i)
		}
	}}}
	next, _, err := advanceGo(t, text, p, s, 200)
	if err != nil || next == "" {
		t.Fatal(next, err)
	}
	resume := func() error {
		from, err := checkpoint.Open(next)
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		again := s
		again.checkpoints = nil
		Resume(from)(&again)
		_, _, err = advanceGo(t, text, p, again, forever)
		return err
	}
	size = 101
	err = resume()
	var diverged *node.DivergedError
	if !errors.As(err, &diverged) || diverged.Rank != 3 ||
		!strings.Contains(diverged.Before, "bytes 100,") || !strings.Contains(diverged.Again, "bytes 101,") {
		t.Errorf("%v", err)
	}
	size = 100
	journal := filepath.Join(filepath.Dir(next), checkpoint.JournalName)
	whole, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func() []byte{
		"a checksum differs": func() []byte { b := slices.Clone(whole); b[len(b)/2] ^= 1; return b },
		"only the beginning": func() []byte { return whole[:len(whole)-1] },
		"another run":        func() []byte { b := slices.Clone(whole); b[25] ^= 1; return b },
	} {
		if err := os.WriteFile(journal, change(), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := resume(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := os.Remove(journal); err != nil {
		t.Fatal(err)
	}
	if err := resume(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
