package calls_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/collective"
	"fabricast/mpi"
	"fabricast/node"
)

// railed returns nodes of GPUs whose messages change rails within the node or not.
func railed(t fataler, dir string, nodes, gpus, nics int, pxn bool, rest string) *fabricast.Experiment {
	t.Helper()
	file := filepath.Join(dir, "machine.yaml")
	text := fmt.Sprintf(
		"network:\n  topology: {kind: nodes, count: %d, nics: %d, pxn: %t, block: {kind: xgft, m: [1, %d], w: [1, 1]}, "+
			"outer: {kind: fully-connected, routers: 1, hosts: %d}}\n  links: {block: {bandwidth: 90GB/s}}\n"+
			"  link: {bandwidth: 10GB/s}\n  host_link: {bandwidth: 90GB/s}\n  packet: {mtu: 4KiB}\n"+
			"node: {nics: 2, nic_choice: port, dma: 500GB/s}\n%s",
		nodes, nics, pxn, gpus, nodes*nics, rest,
	)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	e, err := fabricast.LoadMachine(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return e
}

// fataler is what tests and rapid's tests have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// NCCL's algorithms move the right data where messages pass the GPU on the receiver's rail, by any
// protocol, with NICs of their own or shared ones, whatever ranks are missing and in which order they
// are, in the same time by any number of workers. So they do where ranks have no threads. And some
// messages do pass such a GPU: there are more of them.
func TestRelaysMoveTheRightData(t *testing.T) {
	var of []scene
	for _, s := range scenes {
		if len(ncclOf(s.kind)) > 0 {
			of = append(of, s)
		}
	}
	dir, relayed := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(of).Draw(t, "collective")
		nodes, gpus := rapid.IntRange(2, 4).Draw(t, "nodes"), rapid.SampledFrom([]int{2, 3, 4, 6}).Draw(t, "GPUs")
		nics := gpus
		if gpus%2 == 0 && rapid.Bool().Draw(t, "shared") {
			nics = gpus / 2
		}
		p := rapid.IntRange(2, nodes*gpus).Draw(t, "ranks")
		block := 16 * rapid.SampledFrom([]int{1, 500, 3000}).Draw(t, "block")
		a := rapid.SampledFrom(ncclOf(s.kind)).Draw(t, "algorithm")
		if p := rapid.SampledFrom([]string{"auto", "ll", "ll128", "simple"}).Draw(t, "protocol"); a != collective.NCCLPAT {
			a += collective.Algorithm("/protocol=" + p)
		}
		a += collective.Algorithm(fmt.Sprintf("/channels=%d", rapid.IntRange(1, 5).Draw(t, "channels")))
		root, paced := rapid.IntRange(0, p-1).Draw(t, "root"), rapid.IntRange(0, 4).Draw(t, "paced") == 0
		rest := fmt.Sprintf("ranks: %d\nmapping: random\nseed: %d\n", p, rapid.IntRange(0, 99).Draw(t, "seed"))
		run := func(pxn bool, workers int) *fabricast.Result {
			e := railed(t, dir, nodes, gpus, nics, pxn, rest)
			in, out := inputs(p, s.sendN(p, block)), make([][]byte, p)
			e.Program = func(r *mpi.Rank) {
				me := r.Rank()
				out[me] = make([]byte, s.recvN(p, block))
				if paced {
					r.Pace(&mpi.Pacing{Gaps: []uint32{1}})
				}
				for range 2 {
					s.call(r.Collective(), a, node.Data(bytes.Clone(in[me])), node.Data(out[me]), root, collective.SumInt64)
				}
			}
			r, err := e.Run(t.Context(), fabricast.Workers(workers))
			if err != nil {
				t.Fatalf("%s %s: %v", s.kind, a, err)
			}
			for me := range p {
				want := s.want(in, me, block, root, collective.SumInt64)
				if want != nil && (!s.rooted || me == root) && !bytes.Equal(out[me], want) {
					t.Fatalf("%s %s: rank %d of %d got the wrong data", s.kind, a, me, p)
				}
			}
			return r
		}
		one := run(true, 1)
		if two := run(true, 2); fmt.Sprint(two.Hash) != fmt.Sprint(one.Hash) || two.SimulatedTime != one.SimulatedTime {
			t.Fatalf("%s %s: %v %v, then %v %v", s.kind, a, one.Hash, one.SimulatedTime, two.Hash, two.SimulatedTime)
		}
		if one.Messages > run(false, 1).Messages {
			relayed++
		}
	})
	if relayed == 0 {
		t.Error("no messages pass the GPU on the receiver's rail")
	}
}

// A NIC that is slower than NVLink holds up nothing within the node: rings that leave a node by another
// rail than the sender's take hardly longer than those that leave by the sender's NIC.
func TestRelaysHoldUpNothing(t *testing.T) {
	dir := t.TempDir()
	time := func(pxn bool) float64 {
		e := railed(t, dir, 3, 4, 4, pxn, "")
		e.Program = func(r *mpi.Rank) {
			const block = 2 << 20
			r.Allgather(mpi.Size(block), mpi.Size(12*block), "nccl-ring/protocol=simple/channels=8")
		}
		r, err := e.Run(t.Context(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		return float64(r.SimulatedTime)
	}
	if with, without := time(true), time(false); with > 1.05*without {
		t.Errorf("%g us by the receiver's rail, %g us by the sender's", with/1e6, without/1e6)
	}
}
