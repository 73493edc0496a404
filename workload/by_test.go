package workload

import (
	"fmt"
	"testing"

	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
)

// runByPut runs a loop on a network whose NICs respond to puts.
func runByPut(t *testing.T, ranks int, launch node.Launcher) *node.World {
	t.Helper()
	spec := node.Spec{
		Hosts:       ranks,
		NICsPerHost: 1,
		Overhead:    1000,
		Memory:      1e10,
		Replies:     true,
		HostOf:      make([]int32, ranks),
	}
	for i := range spec.HostOf {
		spec.HostOf[i] = int32(i)
	}
	w, err := node.NewWorld(spec, launch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	network := &nodetest.Network{Latency: 100_000, ByteTime: 1}
	network.Run(w, ranks, 1)
	if w.Err() != nil || w.Finished() != ranks || network.Live() != 0 {
		t.Fatalf(
			"%v; %d of %d ranks finished, %d messages live: %v",
			w.Err(), w.Finished(), ranks, network.Live(), w.Deadlock(),
		)
	}
	return w
}

// With puts, every program that is a loop sends the same messages as with sends, without coroutines.
func TestEveryProgramRunsByPut(t *testing.T) {
	for _, p := range Programs() {
		if !p.Loops() {
			continue
		}
		if !p.Takes("by") {
			t.Errorf("%s: messages cannot travel by put", p.Name)
			continue
		}
		for _, algorithm := range algorithmsOf(p) {
			for _, ranks := range []int{1, 2, 6, 16, 61} {
				params := sample(t, p, ranks)
				params.Algorithm = algorithm
				if _, problems := p.Resolve(params, ranks); len(problems) > 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", p.Name, algorithm, ranks), func(t *testing.T) {
					sent := mustRun(t, p.Name, params, ranks).Stats()
					params.By = ByPut
					loop := mustBuild(t, p.Name, params, ranks)
					put, alike := runByPut(t, ranks, loop.Programs()), runByPut(
						t, ranks, mpi.Programs(loop.Main),
					)
					if s := put.Stats(); s.Messages != sent.Messages || s.Bytes != sent.Bytes || s.Unmet > 0 {
						t.Errorf(
							"%d messages of %d bytes, by send %d of %d; %d unmet",
							s.Messages, int64(s.Bytes), sent.Messages, int64(sent.Bytes), s.Unmet,
						)
					}
					if put.Stats().Hash != alike.Stats().Hash || put.Stats().End != alike.Stats().End {
						t.Errorf("ends at %d ps, as coroutines at %d", int64(put.Stats().End), int64(alike.Stats().End))
					}
				})
			}
		}
	}
}

// A put is complete when the acknowledgement of the destination NIC arrives.
func TestRingByPutTakesItsTime(t *testing.T) {
	w := runByPut(t, 2, mustBuild(t, "ring", Params{Size: 50, By: ByPut}, 2).Programs())
	const call, way = 1000, 100_000
	if got, want := int64(w.Stats().End), int64(call+way+50+way); got != want {
		t.Errorf("ends at %d ps, want %d", got, want)
	}
}

// A recording specifies the primitive of each message, unless the experiment selects one for all.
func TestRecordedPuts(t *testing.T) {
	p := Params{File: writeRecording(t, "0,0,1,50,put\n0,1,0,60\n1,barrier\n2,2,0,10,send")}
	f := func(by string, answered bool, end int64) {
		t.Helper()
		p.By = by
		resolved, problems := Find("recorded").Resolve(p, 3)
		if len(problems) > 0 || resolved.Answered() != answered {
			t.Errorf("by %q: answered %v, %v", by, resolved.Answered(), problems)
		}
		if w := runByPut(t, 3, mustBuild(t, "recorded", p, 3).Programs()); int64(w.Record(2).End) != end {
			t.Errorf("by %q: rank 2 ends at %d ps, want %d", by, int64(w.Record(2).End), end)
		}
	}
	const call, way = 1000, 100_000
	// The barrier has two dissemination rounds. Rank 2 leaves it after it has received from rank 1,
	// has sent again, and has received from rank 0, which received from rank 2 long before.
	met := func(rank0, rank1 int64) int64 {
		return max(rank0+3*call+way, rank1+call+way+call+call) + call
	}
	put0, put1 := int64(call+way+50+way), int64(call+way+60+way)
	got0, got1 := int64(call+way+60+call), int64(call+way+50+call)
	f("", true, met(put0, got1)+call)
	f("send", false, met(got0, got1)+call)
	f("put", true, met(put0, put1)+call+way+10+way)
}
