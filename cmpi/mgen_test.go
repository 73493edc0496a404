//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/rdma"
	"fabricast/routing"
	"fabricast/topology"
)

// fatTree is a network with three levels of switches.
func fatTree(ranks int) *fabricast.Experiment {
	return &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.FatTreeSpec{Radix: 4, Levels: 3}},
		Ranks:   ranks,
	}
}

// predict runs an experiment without a program in C.
func predict(t *testing.T, e *fabricast.Experiment) *fabricast.Result {
	t.Helper()
	result, err := e.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func same(t *testing.T, what string, got, want *fabricast.Result) {
	t.Helper()
	if got.SimulatedTime != want.SimulatedTime || got.Messages != want.Messages {
		t.Errorf(
			"%s: found %s and %d messages, expected %s and %d",
			what, got.SimulatedTime, got.Messages, want.SimulatedTime, want.Messages,
		)
	}
}

// TestRandomRingByPut compares NSIM-ACE's random ring in its own C with Go, and with a recording of
// its messages.
func TestRandomRingByPut(t *testing.T) {
	const bytes, rounds = 20000, 3
	order := []int{3, 14, 7, 0, 12, 5, 9, 1, 15, 8, 2, 11, 6, 13, 4, 10}
	n := len(order)
	inGo := fatTree(n)
	inGo.Program = func(r *mpi.Rank) {
		at := slices.Index(order, r.Rank())
		before, after := order[(at+n-1)%n], order[(at+1)%n]
		nic := rdma.Open(r)
		for i := range rounds {
			left, right := nic.Put(mpi.Size(bytes), rdma.At(before), 2*i), nic.Put(
				mpi.Size(bytes), rdma.At(after), 2*i+1,
			)
			nic.Poll(2*i + 1)
			nic.Poll(2 * i)
			nic.Complete(left)
			nic.Complete(right)
			r.Compute(mpi.Duration(1_000_000))
		}
	}
	args := []string{fmt.Sprint(bytes), fmt.Sprint(rounds)}
	for _, rank := range order {
		args = append(args, fmt.Sprint(rank))
	}
	_, ofC, err := run(t, fatTree(n), compile(t, "testdata/mgen/random-ring.c"), 2, args...)
	if err != nil {
		t.Fatal(err)
	}
	want := predict(t, inGo)
	same(t, "C and Go", ofC, want)
	if ofC.Hash != want.Hash {
		t.Errorf("found hash %s, expected %s", ofC.Hash, want.Hash)
	}
}

// TestRingBarrierByPut compares the barrier of NSIM-ACE's experiments in C, in Go and in YAML.
func TestRingBarrierByPut(t *testing.T) {
	const n = 12
	_, ofC, err := run(t, fatTree(n), compile(t, "testdata/mgen/barrier.c"), 2)
	if err != nil {
		t.Fatal(err)
	}
	inGo := fatTree(n)
	inGo.Program = func(r *mpi.Rank) {
		nic := rdma.Open(r)
		for step := range n - 1 {
			put := nic.Put(mpi.Size(8), rdma.At((r.Rank()+1)%n), step)
			nic.PollFrom((r.Rank()+n-1)%n, step)
			nic.Complete(put)
		}
	}
	want := predict(t, inGo)
	same(t, "C and Go", ofC, want)
	if ofC.Hash != want.Hash {
		t.Errorf("found hash %s, expected %s", ofC.Hash, want.Hash)
	}
	named := fatTree(n)
	named.Workload = experiment.Workload{Program: "ring", Size: 8, Iterations: n - 1, By: "put"}
	same(t, "C and by name", ofC, predict(t, named))
}

// TestPacedMessages compares messages with options in C, in Go, and as a collective by name.
func TestPacedMessages(t *testing.T) {
	const n, bytes = 12, 20000
	program := compile(t, "testdata/mgen/paced.c")
	machine := func() *fabricast.Experiment {
		e := fatTree(n)
		e.Network.Routing, e.Node.NICs = routing.NCAOptions{Up: routing.UpDestination}, 1
		return e
	}
	for _, o := range []mpi.Options{{}, {Gap: 3}, {NIC: 1}, {Copies: 2}, {Protocol: 2}, {Protocol: 3, Gap: 1}} {
		_, ofC, err := run(
			t, machine(), program, 1, fmt.Sprint(bytes), fmt.Sprint(o.Gap), fmt.Sprint(o.NIC),
			fmt.Sprint(o.Copies), fmt.Sprint(int(o.Protocol)),
		)
		if err != nil {
			t.Fatal(err)
		}
		inGo := machine()
		inGo.Program = func(r *mpi.Rank) {
			for k := 1; k < n; k++ {
				in := r.Irecv(mpi.Size(bytes), (r.Rank()-k+n)%n, 7)
				out := r.IsendWith(mpi.Size(bytes), (r.Rank()+k)%n, 7, o)
				r.WaitAll([]mpi.Request{in, out})
			}
		}
		want := predict(t, inGo)
		same(t, fmt.Sprintf("%+v", o), ofC, want)
		if ofC.Hash != want.Hash {
			t.Errorf("%+v: found hash %s, expected %s", o, ofC.Hash, want.Hash)
		}
		if o == (mpi.Options{Gap: 3}) {
			named := machine()
			named.Workload = experiment.Workload{
				Program: "alltoall", Algorithm: string(collective.Ring), Size: bytes, Pacing: experiment.Pacing{Gap: "3"},
			}
			same(t, "by name", ofC, predict(t, named))
		}
	}
	_, _, err := run(t, machine(), program, 1, "8", "0", "9", "0", "0")
	if err == nil || !strings.Contains(err.Error(), "found NIC option 9, expected 1 to 1") {
		t.Errorf("found %v, expected that a NIC that there is not is refused", err)
	}
}

// TestPacedWindows demands that Fabricast_Sends is for one-sided calls too that send something, but
// not for those that fetch.
func TestPacedWindows(t *testing.T) {
	const payload, packets, gap = 2024, 10, 3
	program := compile(t, "testdata/mgen/window.c")
	measured := func(call, gap int) (ns int) {
		e := torus(2)
		e.Network.Packet = experiment.Packet{MTU: 2048, Header: 24, Flit: 8}
		e.Network.Link.Bandwidth, e.Node.DMA = 4*fabricast.GBPerSecond, 400*fabricast.GBPerSecond
		lines, _, err := run(t, e, program, 1, fmt.Sprint(packets*payload), fmt.Sprint(gap), fmt.Sprint(call))
		if err == nil {
			ns, err = strconv.Atoi(lines[0])
		}
		if err != nil {
			t.Fatal(err)
		}
		return ns
	}
	for call, want := range []struct {
		name    string
		packets int // whose pauses delay the end
	}{{"put", packets}, {"put with a request", packets}, {"accumulate", packets}, {"put with gaps", packets / 2}, {"accumulate with gaps", packets / 2}, {"get", 1}} {
		const packet = 2048 / 4 // ns
		if delay := measured(call, gap) - measured(call, 0); delay != gap*(want.packets-1)*packet {
			t.Errorf(
				"%s: found a delay of %d ns, expected %d pauses of %d",
				want.name, delay, want.packets-1, gap*packet,
			)
		}
	}
}

// TestACP runs a program that checks itself.
func TestACP(t *testing.T) {
	program := compile(t, "testdata/mgen/acp.c")
	var first *fabricast.Result
	for _, workers := range []int{1, 2} {
		lines, result, err := run(t, torus(9), program, workers)
		if err != nil || len(lines) != 9 || !strings.HasSuffix(lines[0], "of 9 is done") {
			t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
		}
		if first == nil {
			first = result
		} else if result.Hash != first.Hash || result.SimulatedTime != first.SimulatedTime {
			t.Errorf("found hash %s with %d workers, expected %s", result.Hash, workers, first.Hash)
		}
	}
}

// TestHeadersAlone compiles programs that include only one header, in C and C++.
func TestHeadersAlone(t *testing.T) {
	for _, test := range []struct{ suffix, text string }{
		{".c", "#include \"mgen.h\"\nint MGEN_Main(int argc, char **argv) { MGEN_Status s; double t = MGEN_Wtime(); (void)s; return t < 0 || sizeof(MGEN_Aint) < 8; }"},
		{".cc", "#include <mgen.h>\nint MGEN_Main(int argc, char **argv) { return MGEN_Barrier(MGEN_COMM_WORLD) != MGEN_SUCCESS; }"},
		{".cc", "#include <acp.h>\nint main(int argc, char **argv) { acp_init(&argc, &argv); return acp_finalize(); }"},
		{".c", "#include \"mgen-mpi.h\"\nint main(int argc, char **argv) { MPI_Init(&argc, &argv); MGEN_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }"},
		{".c", "#include \"mgen.h\"\nint main(int argc, char **argv) { MPI_Init(&argc, &argv); int me; MGEN_Comm_rank(MGEN_COMM_WORLD, &me); MGEN_rdma_put(me, 0, 1); MGEN_rdma_poll(1); return MPI_Finalize(); }"},
	} {
		source := filepath.Join(t.TempDir(), "program"+test.suffix)
		if err := os.WriteFile(source, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := run(t, torus(3), compile(t, source), 1); err != nil {
			t.Errorf("%s: %v", test.text, err)
		}
	}
}
