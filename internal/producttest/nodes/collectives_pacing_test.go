package nodes

import (
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/routing"
)

var mod = experiment.Pacing{Gap: experiment.PacingMOD}

// Every algorithm of every collective is paced by the experiment as a program by name is paced, and
// so is one in Go; and where the algorithm is the table's, that.
func TestPacingOfCollectivesIsThatOfPrograms(t *testing.T) {
	for _, kind := range collective.Kinds() {
		algorithms := collective.NamesOfRanks(kind)
		switch kind {
		case collective.KindBroadcast, collective.KindReduce:
			algorithms = append(algorithms, "chain/segment=999", "binomial/segment=1KiB")
		case collective.KindAllreduce:
			algorithms = append(algorithms, "segmented-ring/segment=100")
		}
		for _, algorithm := range algorithms {
			if collective.InfoOf(kind, collective.Algorithm(algorithm)).Needs == collective.NeedsGroups {
				continue // a torus has none
			}
			for _, by := range []string{"send", "put"} {
				e := producttest.Torus(4, 2)
				e.Workload = experiment.Workload{
					Program:    string(kind),
					Algorithm:  algorithm,
					Size:       5000,
					Iterations: 2,
					By:         by,
				}
				if kind == collective.KindBarrier {
					e.Workload.Size = 0
				}
				named := e
				named.Workload.Pacing = experiment.Pacing{
					Gap:     experiment.PacingMOD,
					Barrier: experiment.PacingStart,
				}
				want := producttest.Run(t, &named, fabricast.Workers(1))
				pacing := named.Workload.Pacing
				e.Collectives = paced(kind, "", pacing)
				got := producttest.Run(t, &e, fabricast.Workers(1))
				if got.Hash != want.Hash || got.SimulatedTime != want.SimulatedTime || len(got.Notes) > 0 {
					t.Errorf(
						"%s %s by %s: %v, %v; by workload.pacing %v",
						kind, algorithm, by, got.SimulatedTime, got.Notes, want.SimulatedTime,
					)
				}
				if p := got.CollectivePacing; len(p) != 1 || p[0].Patterns != 1 ||
					p[0].Steps != want.Pacing.Steps ||
					p[0].Most != want.Pacing.Most {
					t.Errorf("%s %s by %s: %+v, want %+v", kind, algorithm, by, p, want.Pacing)
				}
			}
		}
	}
}

// paced are collectives of which one is paced.
func paced(kind collective.Kind, algorithm string, p experiment.Pacing) (c experiment.Collectives) {
	one := experiment.Collective{Algorithm: algorithm, Pacing: p}
	*map[collective.Kind]*experiment.Collective{
		collective.KindAlltoall: &c.Alltoall, collective.KindBarrier: &c.Barrier, collective.KindBroadcast: &c.Broadcast,
		collective.KindAllreduce: &c.Allreduce, collective.KindAllgather: &c.Allgather, collective.KindReduce: &c.Reduce,
		collective.KindReduceScatter: &c.ReduceScatter, collective.KindGather: &c.Gather, collective.KindScatter: &c.Scatter,
		collective.KindScan: &c.Scan, collective.KindExscan: &c.Exscan,
	}[kind] = one
	return c
}

// A program in Go that names no algorithm gets the table's, paced; barriers between the steps and
// further options are as for programs by name.
func TestPacingOfCollectivesInGo(t *testing.T) {
	workers := []int{1, 2}
	for _, pacing := range []experiment.Pacing{mod, {Gap: "3"}, {Gap: "mod", Scale: fabricast.Whole * 5 / 4, Barrier: "2"}} {
		named := producttest.Torus(4, 4)
		named.Workload = experiment.Workload{
			Program:   "alltoall",
			Algorithm: "pairwise",
			Size:      1000,
			Pacing:    pacing,
		}
		want := producttest.Run(t, &named, fabricast.Workers(1))
		e := producttest.Torus(4, 4)
		e.Collectives = paced(collective.KindAlltoall, "pairwise", pacing)
		e.Program = func(r *mpi.Rank) { r.Alltoall(mpi.Size(16*1000), mpi.Size(16*1000), collective.Default) }
		for _, n := range workers {
			if got := producttest.Run(t, &e, fabricast.Workers(n)); got.Hash != want.Hash ||
				got.SimulatedTime != want.SimulatedTime {
				t.Errorf(
					"%+v: in Go %v and %s, by name %v and %s",
					pacing, got.SimulatedTime, got.Hash, want.SimulatedTime, want.Hash,
				)
			}
		}
		workers = workers[:1]
	}
}

// A part of the ranks has the gaps of its own pattern on its own hosts: each row of a torus those
// of a ring, and the columns others. What a program says itself goes first.
func TestPacingOfPartsOfTheRanks(t *testing.T) {
	row := producttest.Torus(8)
	row.Network.Routing = routing.DOROptions{Tie: routing.TieUp}
	row.Workload = experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 4000, Pacing: mod}
	want := producttest.Run(t, &row, fabricast.Workers(1))
	e := producttest.Torus(8, 4)
	e.Network.Routing = routing.DOROptions{Tie: routing.TieUp}
	e.Collectives = paced(collective.KindAlltoall, "ring", mod)
	var split bool
	e.Program = func(r *mpi.Rank) {
		c := &r.Comm
		if split {
			c = r.Split(r.Rank()/8, r.Rank())
		}
		c.Alltoall(mpi.Size(c.Size()*4000), mpi.Size(c.Size()*4000), collective.Default)
		c.Pace(&mpi.Pacing{})
		c.Alltoall(mpi.Size(c.Size()*4000), mpi.Size(c.Size()*4000), collective.Pairwise)
	}
	whole := producttest.Run(t, &e, fabricast.Workers(1)).CollectivePacing[0]
	split = true
	parts := producttest.Run(t, &e, fabricast.Workers(1)).CollectivePacing[0]
	if parts.Patterns != 4 || parts.Steps != 4*7 || parts.Least != want.Pacing.Least ||
		parts.Most != want.Pacing.Most ||
		parts.Mean != want.Pacing.Mean {
		t.Errorf("rows: %+v, a ring of 8: %+v", parts, want.Pacing)
	}
	if whole.Patterns != 1 || whole.Steps != 31 || whole.Mean == parts.Mean {
		t.Errorf("all: %+v, rows: %+v", whole, parts)
	}
}

// A program by name that has a collective within takes its algorithm from the table, and its
// pacing.
func TestPacingOfACollectiveWithin(t *testing.T) {
	e := producttest.Torus(4, 4)
	e.Workload = experiment.Workload{Program: "stencil3d", Algorithm: "ring", Size: 1000, Iterations: 2}
	plain := producttest.Run(t, &e, fabricast.Workers(1))
	e.Collectives = paced(collective.KindAllreduce, "rabenseifner", experiment.Pacing{Gap: "1000"})
	slower := producttest.Run(t, &e, fabricast.Workers(1))
	if slower.Messages != plain.Messages || slower.SimulatedTime < plain.SimulatedTime ||
		len(slower.Notes) > 0 ||
		len(slower.CollectivePacing) != 1 {
		t.Errorf("paced %v, else %v; %v", slower.SimulatedTime, plain.SimulatedTime, slower.Notes)
	}
	e.Workload.Algorithm = ""
	table := producttest.Run(t, &e, fabricast.Workers(1))
	e.Workload.Algorithm = "rabenseifner"
	if given := producttest.Run(t, &e, fabricast.Workers(1)); given.Hash != table.Hash ||
		given.Messages == plain.Messages {
		t.Errorf("by the table %s, by workload.algorithm %s", table.Hash, given.Hash)
	}
}

// What no call was paced by is said.
func TestPacingOfNothing(t *testing.T) {
	e := producttest.Torus(4)
	e.Workload = experiment.Workload{Program: "stencil3d", Size: 1000}
	e.Collectives = paced(collective.KindAlltoall, "", mod)
	if r := producttest.Run(t, &e, fabricast.Workers(1)); len(r.Notes) != 1 ||
		!strings.HasPrefix(
			r.Notes[0], "collectives.alltoall.pacing had no effect: the program called no alltoall",
		) {
		t.Errorf("notes %q", r.Notes)
	}
}

// The resolved section has the short form where there is only an algorithm, and can be read again.
func TestCollectivesAreWrittenAsTheyAreRead(t *testing.T) {
	const text = "network: {topology: {dims: [4]}}\nworkload: {program: alltoall, size: 8B}\n"
	e, err := fabricast.Parse(
		"a.yaml",
		text+"collectives: openmpi",
		"collectives.alltoall=ring",
		"collectives.barrier=ring",
		"collectives.alltoall.pacing=mod",
		"collectives.allreduce.pacing={gap: 3, barrier: start}",
	)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(out), "collectives:\n")
	lines := strings.Split(section, "\n")
	want := []string{
		"  table: openmpi", "  alltoall:", "    algorithm: ring", "    pacing:", "      gap: mod", "      scale: 100%", "  barrier: ring",
		"  allreduce:", "    pacing:", "      gap: \"3\"", "      barrier: start",
	}
	if len(lines) < len(want) || !slices.Equal(lines[:len(want)], want) {
		t.Errorf("found\n%s", section)
	}
	again, err := fabricast.Parse("b.yaml", string(out))
	if err != nil || again.Collectives != e.Collectives {
		t.Errorf("%+v, %v", again, err)
	}
}
