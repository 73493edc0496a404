package ways

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/cli/traces"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/rdma"
	"fabricast/replay"
)

// writtenRanks is how many ranks programs have that are not named.
const writtenRanks = 8

// eachWritten calls f with experiments whose programs are no names: programs in Go, with MPI and with RDMA,
// and jobs that replay traces of such, and tasks; and with such whose NICs are slowed down by the network.
func eachWritten(t *testing.T, f func(t *testing.T, d *rand.Rand, x *drawn)) {
	for name, draw := range map[string]func(t *testing.T, d *rand.Rand) *drawn{
		"Go": drawGo, "traces": drawReplayed, "tasks": drawTasks, "control": drawControlled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := producttest.Draws(t)
			for range times(6) {
				call(f, t, d, draw(t, d).refer(t, false))
			}
		})
	}
}

// drawPlace describes a network with nodes for writtenRanks ranks.
func drawPlace(d *rand.Rand) string {
	one := producttest.One
	if d.IntN(6) == 0 {
		models := experiment.ModelNames()
		if model := models[d.IntN(len(models))]; model != experiment.ModelPacket {
			return drawModel(d, model)
		}
	}
	return fmt.Sprintf(
		"network: {topology: %s, router: %s}\nseed: %d\nranks: %d\nnode: {nics: %s, overhead: %dns%s%s}\n",
		one(d, "{dims: [8]}", "{dims: [3, 3]}", "{kind: fat-tree, radix: 4, levels: 2, hosts: 2}", "{kind: dragonfly, p: 2, a: 3, h: 1}"),
		producttest.Router(d), d.IntN(1000), writtenRanks, one(d, "1", "2"), d.IntN(300),
		one(d, "", ", copies: one"),
		one(d, "", ", protocol: {eager: 600B, rendezvous: read}", ", protocol: {eager: 600B, rendezvous: write}"),
	)
}

// drawGo draws a program in Go.
func drawGo(_ *testing.T, d *rand.Rand) *drawn {
	seed := d.Uint64()
	return &drawn{
		text: drawPlace(d) + "workload: {program: barrier}\n",
		completes: func(e *fabricast.Experiment) error {
			e.Workload, e.Program = experiment.Workload{}, scripted(seed)
			return nil
		},
	}
}

// scripted returns a program of random calls. All ranks draw the same ones.
func scripted(seed uint64) func(*mpi.Rank) {
	return func(r *mpi.Rank) {
		d := rand.New(rand.NewPCG(seed, 5))
		nic := rdma.Open(r)
		region := nic.Register(mpi.Data(make([]byte, 8192)))
		r.Barrier(collective.Default)
		for range 3 + d.IntN(6) {
			step(r, nic, region, d)
		}
		r.Barrier(collective.Default) // no memory is given back while others write to it
	}
}

// step makes one random call on all ranks, or a few that belong together.
func step(r *mpi.Rank, nic rdma.NIC, region rdma.Region, d *rand.Rand) {
	n, me := r.Size(), r.Rank()
	by, size, late := 1+d.IntN(n-1), 1+d.IntN(4000), d.IntN(n)
	to, from := (me+by)%n, (me+n-by)%n
	switch d.IntN(9) {
	case 0:
		r.Sendrecv(mpi.Size(size), to, 0, mpi.Size(size), from, 0)
	case 1:
		r.WaitAll([]mpi.Request{r.Irecv(mpi.Size(size), from, 1), r.Isend(mpi.Size(size), to, 1)})
	case 2:
		if me == late {
			r.Compute(3 * mpi.Microsecond)
		}
		r.Allreduce(mpi.Size(size&^7), mpi.Size(size&^7), collective.SumInt64, collective.Default)
	case 3:
		r.Compute(mpi.Duration(me*d.IntN(900)) * mpi.Nanosecond)
		r.Barrier(collective.Default)
	case 4:
		r.Alltoall(mpi.Size(n*size), mpi.Size(n*size), collective.Default)
	case 5:
		data := mpi.Data(make([]byte, size))
		nic.Complete(nic.Put(data, region.At(to, 0), rdma.NoTag))
		nic.Complete(nic.Get(data, region.At(from, 8)))
	case 6:
		nic.Complete(nic.FetchAdd(region.At(late, 4096), 3))
	case 7:
		in := r.Irecv(mpi.Size(size), from, 2)
		r.Send(mpi.Size(size), to, 2)
		for done := false; !done; {
			_, done = r.Test(in)
		}
	case 8:
		half := r.Split(me%2, -me)
		half.Allreduce(mpi.Size(80), mpi.Size(80), collective.SumInt64, collective.Default)
	}
}

// drawReplayed draws a job that replays the trace of a program, beside another job.
func drawReplayed(t *testing.T, d *rand.Rand) *drawn {
	t.Helper()
	e, err := fabricast.Parse("traced.yaml", "network: {topology: {dims: [8]}}\nworkload: {program: "+
		producttest.One(d, "alltoall, size: 700B", "stencil3d, size: 300B, iterations: 2, compute: 1us", "barrier")+"}\n")
	if err != nil {
		t.Fatal(err)
	}
	if d.IntN(2) == 0 {
		e.Workload, e.Program, e.Ranks = experiment.Workload{}, recordedParts, writtenRanks
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "trace.fbt")
	recorder := replay.NewRecorders(1)
	recorder.Native(file, folder)
	defer recorder.Abandon()
	_, err = e.Run(context.Background(), fabricast.TracePrograms("", recorder))
	if err == nil {
		err = recorder.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return withTrace(d, file)
}

// drawTasks draws tasks: rounds of messages, each after some of the round before.
func drawTasks(t *testing.T, d *rand.Rand) *drawn {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "num_ranks %d\n", writtenRanks)
	rounds, size := 2+d.IntN(4), 1+d.IntN(3000)
	chained := d.IntN(2) == 0
	for rank := range writtenRanks {
		fmt.Fprintf(&text, "rank %d {\n", rank)
		for k := 1; k <= rounds; k++ {
			by := 1 + k%(writtenRanks-1)
			fmt.Fprintf(&text, "c%d: calc %d\n", k, 100*rank)
			fmt.Fprintf(&text, "s%d: send %db to %d tag %d\n", k, size, (rank+by)%writtenRanks, k)
			fmt.Fprintf(&text, "r%d: recv %db from %d tag %d\n", k, size, (rank+writtenRanks-by)%writtenRanks, k)
			fmt.Fprintf(&text, "s%d requires c%d\n", k, k)
			if k > 1 && (chained || k%2 == 0) {
				fmt.Fprintf(&text, "c%d requires r%d\n", k, k-1)
			}
		}
		text.WriteString("}\n")
	}
	file := filepath.Join(t.TempDir(), "tasks.goal")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return withTrace(d, file)
}

// withTrace describes an experiment with a job that replays a trace of writtenRanks ranks, alone or beside
// another one.
func withTrace(d *rand.Rand, file string) *drawn {
	one := producttest.One
	text := fmt.Sprintf("network: {topology: %s, router: %s}\nseed: %d\njobs:\n- {name: a, trace: {file: %q}, placement: %s}\n",
		one(d, "{dims: [4, 4]}", "{kind: fat-tree, radix: 8, levels: 2}", "{kind: dragonfly, p: 2, a: 4, h: 2}"),
		producttest.Router(d), d.IntN(1000), file, one(d, "linear", "random-nodes"))
	text += one(d, "",
		"- {name: b, ranks: 5, workload: {program: alltoall, size: 3KiB}, start: 1us, placement: random-nodes}\n",
		"- {name: b, ranks: 6, traffic: {pattern: uniform, load: 30%, size: 300B}}\n")
	return &drawn{text: text, completes: traces.Launch}
}

// drawControlled draws messages to one rank, and others, in a network of credits with control of congestion.
func drawControlled(_ *testing.T, d *rand.Rand) *drawn {
	one := producttest.One
	return &drawn{text: fmt.Sprintf(
		"network: {topology: %s, router: {buffer: 4KiB}}\nseed: %d\nranks: %d\nnode: {transport: {control: %s}}\nworkload: {%s}\n",
		one(d, "{dims: [8]}", "{kind: mesh, dims: [3, 3]}", "{kind: fat-tree, radix: 4, levels: 2, hosts: 2}"),
		d.IntN(1000), writtenRanks,
		one(d, "{algorithm: ib-cc, ccti_timer: 2us}", "{algorithm: slingshot-like, queue: 64B, senders: 2, interval: 1us, packet_size: 1B}"),
		one(d, "program: gather, algorithm: linear, size: 9KiB", "program: alltoall, algorithm: simple-spread, size: 5KiB",
			"program: uniform, messages: 9, size: 3KiB"),
	)}
}
