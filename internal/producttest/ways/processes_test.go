package ways

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cluster"
	"fabricast/internal/run"
	"fabricast/mpi"
	"fabricast/rdma"
	"fabricast/record"
	"fabricast/topology"
)

// share runs an experiment in n processes, with options for each, and returns what comes of it. Of an odd
// number of processes, and of more than eight, only those wait for each other whose routers are linked.
func share(e fabricast.Experiment, n int, options func(process int) []fabricast.Option) (results []*fabricast.Result, errs []error) {
	return shareIn(func(int) context.Context { return context.Background() }, e, n, options)
}

func shareIn(
	ctx func(process int) context.Context, e fabricast.Experiment, n int, options func(process int) []fabricast.Option,
) (results []*fabricast.Result, errs []error) {
	results, errs = make([]*fabricast.Result, n), make([]error, n)
	var wg sync.WaitGroup
	for p, group := range cluster.Local(n) {
		wg.Go(func() {
			copied := e
			if n%2 == 1 {
				copied.Engine.Sync = experiment.SyncNeighbours
			}
			all := []fabricast.Option{run.Across(group), fabricast.Workers(1 + p%2)}
			if options != nil {
				all = append(all, options(p)...)
			}
			results[p], errs[p] = copied.Run(ctx(p), all...)
		})
	}
	wg.Wait()
	return results, errs
}

// ring is an experiment in which each rank of 12 sends to the next.
func ring(program func(*mpi.Rank)) fabricast.Experiment {
	return fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 3}}}, Ranks: 12, Program: program,
	}
}

// TestProcessesCarryContents: contents of messages go with them, by every protocol and by puts.
func TestProcessesCarryContents(t *testing.T) {
	for _, protocol := range []experiment.Protocol{{}, {Rendezvous: "write", Eager: 100}, {Rendezvous: "read", Eager: 100}} {
		e := ring(func(r *mpi.Rank) {
			n, me := r.Size(), r.Rank()
			sum := []byte{byte(me)}
			for step := range n - 1 {
				sent := bytes.Repeat(sum[len(sum)-1:], 10+step*100)
				got := make([]byte, len(sent))
				r.Sendrecv(mpi.Data(sent), (me+1)%n, step, mpi.Data(got), (me+n-1)%n, step)
				sum = append(sum, got[len(got)-1])
			}
			for i, from := range sum {
				if int(from) != (me+n-i)%n {
					panic(fmt.Errorf("rank %d got %d at place %d", me, from, i))
				}
			}
			r.Compute(mpi.Duration(1000*(1+int(sum[5]))) * mpi.Picosecond) // time that depends on what has come
			r.Barrier("")
		})
		e.Node.Protocol = protocol
		want, err := e.Run(context.Background(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 3, 4, 9, 12} {
			results, errs := share(e, n, nil)
			for p := range results {
				if errs[p] != nil {
					t.Fatalf("process %d of %d: %v", p, n, errs[p])
				}
				if results[p].Hash != want.Hash || results[p].Messages != want.Messages {
					t.Errorf("process %d of %d: hash %s, alone %s", p, n, results[p].Hash, want.Hash)
				}
			}
		}
	}
}

// TestProcessesSplit: communicators that are made while a program runs have ranks of several
// processes.
func TestProcessesSplit(t *testing.T) {
	e := ring(func(r *mpi.Rank) {
		half := r.Split(r.Rank()%2, -r.Rank())
		if half.Size() != 6 || half.Rank() != (11-r.Rank())/2 {
			panic(fmt.Errorf("rank %d is %d of %d", r.Rank(), half.Rank(), half.Size()))
		}
		if none := half.Split(mpi.Undefined, 0); none != nil {
			panic("a communicator without a color")
		}
		both, got := half.Dup(), make([]byte, 1)
		n, me := both.Size(), both.Rank()
		both.Sendrecv(mpi.Data([]byte{byte(r.Rank())}), (me+1)%n, 3, mpi.Data(got), (me+n-1)%n, 3)
		if want := (r.Rank() + 2) % 12; int(got[0]) != want {
			panic(fmt.Errorf("rank %d got %d, expected %d", r.Rank(), got[0], want))
		}
		both.Barrier("")
	})
	want, err := e.Run(context.Background(), fabricast.Workers(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 3, 4, 9, 12} {
		results, errs := share(e, n, nil)
		for p := range results {
			if errs[p] != nil || results[p].Hash != want.Hash {
				t.Errorf("process %d of %d: %v, %+v", p, n, errs[p], results[p])
			}
		}
	}
}

// TestProcessesPut: one-sided operations reach the memory of ranks of other processes.
func TestProcessesPut(t *testing.T) {
	e := ring(func(r *mpi.Rank) {
		me, n := r.Rank(), r.Size()
		memory := make([]byte, 64)
		nic := rdma.Open(r)
		region := nic.Register(mpi.Data(memory))
		r.Barrier("")
		nic.Complete(nic.Put(mpi.Data([]byte{byte(me), 7}), region.At((me+1)%n, 8), rdma.NoTag))
		back := make([]byte, 2)
		nic.Complete(nic.Get(mpi.Data(back), region.At((me+1)%n, 8)))
		if int(back[0]) != me {
			panic(fmt.Errorf("rank %d gets %v back", me, back))
		}
		nic.Complete(nic.FetchAdd(region.At((me+5)%n, 16), 3))
		r.Barrier("")
		if int(memory[8]) != (me+n-1)%n || memory[9] != 7 {
			panic(fmt.Errorf("rank %d finds %v", me, memory[8:10]))
		}
	})
	want, err := e.Run(context.Background(), fabricast.Workers(1))
	if err != nil {
		t.Fatal(err)
	}
	results, errs := share(e, 3, nil)
	if errs[0] != nil || results[0].Hash != want.Hash {
		t.Errorf("%v, %+v", errs, results[0])
	}
}

// TestProcessesFailAlike: what ends a run in one process ends it in all, with the same words.
func TestProcessesFailAlike(t *testing.T) {
	broken := errors.New("broken on purpose")
	for name, program := range map[string]func(*mpi.Rank){
		"a rank fails": func(r *mpi.Rank) {
			r.Barrier("")
			if r.Rank() == 7 {
				panic(broken)
			}
			r.Barrier("")
		},
		"ranks wait in a cycle": func(r *mpi.Rank) {
			if r.Rank() > 2 {
				r.Recv(mpi.Size(8), (r.Rank()+1)%12, 5)
			}
		},
		"a send waits for ever": func(r *mpi.Rank) {
			if r.Rank() == 3 {
				r.Send(mpi.Size(1<<20), 9, 1)
			}
		},
	} {
		e := ring(program)
		e.Node.Protocol = experiment.Protocol{Rendezvous: "write", Eager: 1000}
		_, alone := e.Run(context.Background(), fabricast.Workers(1))
		for _, n := range []int{2, 3, 4, 9, 12} {
			_, errs := share(e, n, nil)
			for p, err := range errs {
				if alone == nil || err == nil || err.Error() != alone.Error() {
					t.Errorf("%s: process %d of %d ends with\n%v\nalone:\n%v", name, p, n, err, alone)
				}
			}
		}
	}
}

// TestProcessesEndAlike: runs that end with what stays down end alike in all processes, at the same time.
func TestProcessesEndAlike(t *testing.T) {
	const other = "- {name: other, ranks: 6, workload: {program: allreduce, size: 64KiB}}\n"
	for name, text := range map[string]string{
		"a host stops": other + "faults: {events: [{host: 1, from: 1us}]}\n",
		"a link beside endless traffic": "- {name: noise, ranks: 6, traffic: {load: 20%}}\n" +
			"faults: {events: [{link: 0-1, from: 1us}]}\n",
	} {
		e, err := fabricast.Parse("faults.yaml", "network: {topology: {kind: torus, dims: [4, 3]}}\njobs:\n"+
			"- {name: work, ranks: 6, workload: {program: alltoall, algorithm: ring, size: 4KiB}}\n"+text)
		if err != nil {
			t.Fatal(err)
		}
		_, alone := e.Run(t.Context(), fabricast.Workers(1))
		for _, n := range []int{2, 3} {
			_, errs := share(*e, n, nil)
			for p, err := range errs {
				if alone == nil || err == nil || err.Error() != alone.Error() {
					t.Errorf("%s: process %d of %d ends with\n%v\nalone:\n%v", name, p, n, err, alone)
				}
			}
		}
	}
}

// TestProcessesNeedOne: what ranks of several processes cannot share fails the rank that asks.
func TestProcessesNeedOne(t *testing.T) {
	for name, program := range map[string]func(*mpi.Rank){
		"window": func(r *mpi.Rank) { r.CreateWin(mpi.Size(100), 1) },
	} {
		_, errs := share(ring(program), 2, nil)
		for p, err := range errs {
			var failed *fabricast.RunError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), "need all ranks in one process") {
				t.Errorf("%s: process %d ends with %v", name, p, err)
			}
		}
	}
}

// TestProcessesStopTogether: an interruption of one process ends the run in all, and what had been
// simulated is recorded.
func TestProcessesStopTogether(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	folder := filepath.Join(t.TempDir(), "result")
	contexts := func(p int) context.Context {
		if p == 1 {
			return ctx
		}
		return context.Background()
	}
	endless := ring(func(r *mpi.Rank) {
		for {
			r.Barrier("")
		}
	})
	_, errs := shareIn(contexts, endless, 3, func(p int) []fabricast.Option {
		if p == 1 {
			return []fabricast.Option{fabricast.Record(folder), fabricast.OnProgress(time.Millisecond, func(fabricast.Progress) { cancel() })}
		}
		return []fabricast.Option{fabricast.Record(folder)}
	})
	for p, err := range errs {
		var interrupted *fabricast.InterruptedError
		if !errors.As(err, &interrupted) {
			t.Errorf("process %d ends with %v", p, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, record.ResultFile))
	if err != nil || !bytes.Contains(text, []byte(`"interrupted"`)) {
		t.Errorf("%v: %s", err, text)
	}
}

// TestProcessesNameTheFailed: a process that cannot go on is named by the others.
func TestProcessesNameTheFailed(t *testing.T) {
	errs := make([]error, 3)
	var wg sync.WaitGroup
	for p, group := range cluster.Local(3) {
		wg.Go(func() {
			var own error
			if p == 1 {
				own = errors.New("no such file")
			}
			errs[p] = run.Settle(own, run.Across(group))
		})
	}
	wg.Wait()
	var other *fabricast.ProcessError
	if errs[1] == nil || errors.As(errs[1], &other) {
		t.Errorf("its own error is %v", errs[1])
	}
	for _, p := range []int{0, 2} {
		if !errors.As(errs[p], &other) || other.Process != 1 ||
			!strings.Contains(errs[p].Error(), "process 1 of 3") {
			t.Errorf("process %d has %v", p, errs[p])
		}
	}
}

// TestProcessesTellProgress: the first process reports the progress of all. Its own part is a
// quarter.
func TestProcessesTellProgress(t *testing.T) {
	e, err := fabricast.Load("../../../examples/bruck-4k-1024B.yaml", "network.topology.dims=[8, 8, 4]", "ranks=256")
	if err != nil {
		t.Fatal(err)
	}
	var last fabricast.Progress
	results, errs := share(*e, 4, func(p int) []fabricast.Option {
		if p > 0 {
			return nil
		}
		return []fabricast.Option{fabricast.OnProgress(time.Millisecond, func(p fabricast.Progress) { last = p })}
	})
	if errs[0] != nil {
		t.Fatal(errs[0])
	}
	if hops := results[0].PacketHops; last.PacketHops > hops || 5*last.PacketHops < 2*hops {
		t.Errorf("at last %d of %d hops were reported", last.PacketHops, hops)
	}
}
