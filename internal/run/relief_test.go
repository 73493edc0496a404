package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/run"
)

// TestRelievedAlone checks that a message of one packet, or one whose packets are paced, takes the same
// time beside an idle network as in it, in a rendezvous too. They take no longer where several messages
// meet at a NIC: puts of both ranks at once, whose acknowledgements need not wait for them, and the
// messages of a rendezvous, which do not wait for the pauses of one another.
func TestRelievedAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pacing, most := rapid.IntRange(0, 3).Draw(t, "pacing"), 400
		gap := rapid.SampledFrom([]string{"0", "1", "2.5"}).Draw(t, "gap")
		if pacing > 0 || gap != "0" {
			most = 20_000
		}
		program := fmt.Sprintf("{program: pingpong, iterations: 3, pacing: %d, size: ", pacing)
		puts := most == 400 && rapid.Bool().Draw(t, "puts")
		if puts {
			program = "{program: allgather, iterations: 3, by: put, size: "
		}
		protocol := rapid.SampledFrom([]string{
			"{}", "{complete: fetched}", "{eager: 64B, rendezvous: read}",
			"{eager: 64B, rendezvous: write, setup: 7ns}",
		}).Draw(t, "protocol")
		meet := puts || (pacing > 0 || gap != "0") && strings.Contains(protocol, "rendezvous")
		text := fmt.Sprintf("network: {topology: {kind: torus, dims: [5], hosts: %d}, router: {latency: %dns}}\n"+
			"node: {overhead: %dns, gap: %s, protocol: %s}\nranks: 2\nworkload: %s%dB}\n",
			rapid.IntRange(1, 2).Draw(t, "hosts"),
			rapid.IntRange(1, 99).Draw(t, "latency"), rapid.IntRange(0, 99).Draw(t, "overhead"), gap,
			protocol, program, rapid.IntRange(0, most).Draw(t, "size"))
		e, err := fabricast.Parse("alone.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Run(t.Context(), run.Relieve(0, 1))
		if err != nil || got.SimulatedTime > want.SimulatedTime || got.SimulatedTime < want.SimulatedTime && !meet {
			t.Fatalf("it takes %v beside the network, %v in it: %v\n%s", got.SimulatedTime, want.SimulatedTime, err, text)
		}
	})
}

// TestRelieved lets one job's only message pass beside the network: the other job ends when it does without
// the first one, whatever else the network does at once.
func TestRelieved(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"a.txt": "0 3\n1 0\n", "b.txt": "0 4\n1 1\n2 2\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	both := jobsToRelieve{folder, "{kind: mesh, dims: [6]}", "2KiB", 1, "on", 90_000, "alltoall", 40_000}
	if !both.relieved(t) {
		t.Error("job a never slows down job b")
	}
	rapid.Check(t, func(t *rapid.T) {
		jobsToRelieve{
			folder, rapid.SampledFrom([]string{
				"{kind: fully-connected, routers: 2, hosts: 3}", "{kind: mesh, dims: [6]}",
				"{kind: torus, dims: [2, 3]}", "{kind: fat-tree, radix: 4, levels: 2, hosts: 2}",
			}).Draw(t, "topology"), rapid.SampledFrom([]string{"2KiB", "16KiB"}).Draw(t, "buffer"),
			rapid.IntRange(0, 99).Draw(t, "seed"), rapid.SampledFrom([]string{"on", "off"}).Draw(t, "streams"),
			rapid.OneOf(rapid.IntRange(1, 200), rapid.IntRange(1, 90_000)).Draw(t, "size of a"),
			rapid.SampledFrom([]string{"alltoall", "broadcast", "ring"}).Draw(t, "program"),
			rapid.IntRange(1, 40_000).Draw(t, "size of b"),
		}.relieved(t)
	})
}

// jobsToRelieve are two jobs, a and b. The messages of a are to be out of the way.
type jobsToRelieve struct {
	folder, topology, buffer string
	seed                     int
	streams                  string
	size                     int // of the messages of a
	program                  string
	sizeB                    int
}

// relieved checks the jobs, and reports whether a slows down b.
func (j jobsToRelieve) relieved(t rapid.TB) bool {
	text := fmt.Sprintf("network: {topology: %s, router: {buffer: %s}}\nseed: %d\nengine: {streams: %s}\njobs:\n"+
		"  - {name: a, ranks: 2, workload: {program: gather, algorithm: linear, size: %dB}, placement: {file: %s}}\n"+
		"  - {name: b, ranks: 3, workload: {program: %s, size: %dB}, placement: {file: %s}}\n",
		j.topology, j.buffer, j.seed, j.streams, j.size, filepath.Join(j.folder, "a.txt"),
		j.program, j.sizeB, filepath.Join(j.folder, "b.txt"))
	e, err := fabricast.Parse(filepath.Join(j.folder, "jobs.yaml"), text)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	both, err := e.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	relieved, err := e.Run(ctx, fabricast.Workers(2), run.Relieve(0, 3))
	if err != nil {
		t.Fatal(err)
	}
	for job := range 2 {
		alone := fabricast.Experiment((*experiment.Experiment)(e).WithoutJob(1 - job))
		want, err := alone.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		exact := job == 1 || j.size <= 200 // of job a, for messages of one packet
		if got := relieved.Jobs[job].Time; exact && got != want.Jobs[0].Time {
			t.Fatalf("job %d takes %v, alone %v\n%s", job, got, want.Jobs[0].Time, text)
		}
	}
	return both.Jobs[1].Time > relieved.Jobs[1].Time
}
