//go:build cgo && linux && amd64

package cmpi_test

import (
	"strings"
	"testing"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/mpi"
)

// runPaced runs a program in C whose all-to-alls are paced.
func runPaced(
	t *testing.T,
	program, algorithm string,
	pacing experiment.Pacing,
	arg string,
) *fabricast.Result {
	t.Helper()
	e := torus(16)
	e.Collectives.Alltoall = experiment.Collective{Algorithm: algorithm, Pacing: pacing}
	o := cmpi.Options{}
	if algorithm != "" {
		o.Algorithms = map[collective.Kind]collective.Algorithm{
			collective.KindAlltoall: collective.Algorithm(algorithm),
		}
	}
	_, result, err := runWith(t, e, program, o, arg)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// A program in C that is one all-to-all, also in the background, has the gaps and takes the time of
// that in Go. The tags of what runs in the background differ.
func TestPacedCollectives(t *testing.T) {
	program := compile(t, "testdata/choose/paced.c")
	for _, pacing := range []experiment.Pacing{{Gap: "mod"}, {Gap: "5"}, {Gap: "mod", Scale: fabricast.Whole * 5 / 4, Barrier: "start"}, {Gap: "mod", Barrier: "2"}} {
		for _, algorithm := range []string{"pairwise", "ring", "simple-spread", "butterfly"} {
			want := inGo(t, algorithm, pacing)
			for _, how := range []string{"all", "background"} {
				got := runPaced(t, program, algorithm, pacing, how)
				if got.SimulatedTime != want.SimulatedTime || how == "all" && got.Hash != want.Hash ||
					len(got.Notes) > 0 {
					t.Errorf(
						"%+v, %s, %s: found %v and %v, in Go %v",
						pacing, algorithm, how, got.SimulatedTime, got.Notes, want.SimulatedTime,
					)
				}
				if p := got.CollectivePacing; len(p) != 1 || p[0] != want.CollectivePacing[0] {
					t.Errorf(
						"%+v, %s, %s: found %+v, in Go %+v",
						pacing, algorithm, how, p, want.CollectivePacing,
					)
				}
			}
		}
	}
}

// inGo is an all-to-all in Go.
func inGo(t *testing.T, algorithm string, pacing experiment.Pacing) *fabricast.Result {
	t.Helper()
	e := torus(16)
	e.Collectives.Alltoall = experiment.Collective{Algorithm: algorithm, Pacing: pacing}
	e.Program = func(r *mpi.Rank) { r.Alltoall(mpi.Size(16*4000), mpi.Size(16*4000), collective.Default) }
	r, err := e.Run(t.Context(), fabricast.Workers(1))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Parts of the ranks have the gaps of their own hosts: here rows of a torus, which are rings of 4.
func TestPacedCollectivesOfParts(t *testing.T) {
	program := compile(t, "testdata/choose/paced.c")
	got := runPaced(t, program, "ring", experiment.Pacing{Gap: "mod"}, "rows").CollectivePacing
	if len(got) != 1 || got[0].Patterns != 4 || got[0].Steps != 12 {
		t.Errorf("found %+v, expected 4 rows of 3 steps each", got)
	}
}

// What cannot be paced is said.
func TestCollectivesThatCannotBePaced(t *testing.T) {
	program := compile(t, "testdata/choose/paced.c")
	for how, want := range map[string]string{
		"counts":  "collectives.alltoall.pacing does not hold for calls with a count for each rank, which were not paced",
		"between": "collectives.alltoall.pacing does not hold for calls on intercommunicators, which were not paced",
	} {
		got := runPaced(t, program, "", experiment.Pacing{Gap: "mod"}, how).Notes
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: found %q, expected %q", how, got, want)
		}
	}
}
