//go:build cgo && linux && amd64

package cmpi_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast/cmpi"
	"fabricast/collective"
	"fabricast/internal/needed"
	"fabricast/internal/producttest"
)

// numbersOfRanks are those for which data.want has what MPICH 4.0.2 prints.
var numbersOfRanks = []int{1, 2, 3, 5, 8}

// dataWanted returns the lines of data.want for a number of ranks.
func dataWanted(t *testing.T, ranks int) []string {
	t.Helper()
	all, err := os.ReadFile("testdata/data/data.want")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(all)) {
		if strings.HasPrefix(line, fmt.Sprintf("%d ranks: ", ranks)) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	if len(lines) == 0 {
		t.Fatalf("data.want has no line for %d ranks", ranks)
	}
	slices.Sort(lines)
	return lines
}

// differing returns the first lines that two outputs do not share.
func differing(got, want []string) string {
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("found %q, expected %q", got[min(i, len(got)):min(i+1, len(got))],
				want[min(i, len(want)):min(i+1, len(want))])
		}
	}
	return ""
}

// forced returns for every collective the one of its variants that has a number. A collective with
// fewer variants, or whose variant does not run on so many ranks, is left to the table.
func forced(ranks, number int) map[collective.Kind]collective.Algorithm {
	choice := map[collective.Kind]collective.Algorithm{}
	for _, kind := range collective.Kinds() {
		list := variants(kind)
		if number < len(list) && collective.Check(kind, list[number], ranks) == nil {
			choice[kind] = list[number]
		}
	}
	return choice
}

// variants returns all algorithms of a collective, and those with options again with these.
// Segments are small and no multiple of an element, so that messages are cut into many.
func variants(kind collective.Kind) []collective.Algorithm {
	values := map[string]int{"segment": 20, "radix": 3, "fanout": 3, "window": 2, "ports": 1, "leaders": 2}
	var list []collective.Algorithm
	for _, info := range collective.OfRanks(kind) {
		list = append(list, info.Name)
		name := info.Name
		for _, o := range info.Options {
			name += collective.Algorithm(fmt.Sprintf("/%s=%d", o.Name, values[o.Name]))
		}
		if name != info.Name {
			list = append(list, name)
		}
	}
	return list
}

// TestDataOfEveryAlgorithm compares the data of all collectives by every algorithm with those of
// MPICH: several roots, counts, datatypes, operations and numbers of ranks, in place and not, in
// the background and not. Each commit takes other numbers of ranks.
func TestDataOfEveryAlgorithm(t *testing.T) {
	program := compile(t, "testdata/data/data.c")
	most := 0
	for _, kind := range collective.Kinds() {
		most = max(most, len(variants(kind)))
	}
	for i, ranks := range numbersOfRanks {
		if testing.Short() && ranks != 5 || !producttest.Turn(t, i, 3) {
			continue
		}
		t.Run(fmt.Sprint(ranks, " ranks"), func(t *testing.T) {
			want := dataWanted(t, ranks)
			messages := map[int64]bool{}
			for number := range most {
				choice := forced(ranks, number)
				options := cmpi.Options{Algorithms: choice, Types: cmpi.TypesFail}
				got, result, err := runWith(t, torus(ranks), program, options)
				if err != nil {
					t.Fatalf("%v: %v", choice, err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%v: %s", choice, differing(got, want))
				}
				messages[result.Messages] = true
			}
			if ranks > 2 && len(messages) < most/2 {
				t.Errorf("found %d numbers of messages, expected more of %d choices", len(messages), most)
			}
		})
	}
}

// TestDataOfMPICH demands that data.want is what MPICH prints for some numbers of ranks, of which each
// commit takes one. More of them would take long where there are fewer cores than ranks, which all wait
// busily.
func TestDataOfMPICH(t *testing.T) {
	mpicc, err := exec.LookPath("mpicc.mpich")
	if err != nil {
		needed.Missing(t, "found no MPICH (Debian: apt-get install mpich)")
	}
	program := filepath.Join(t.TempDir(), "reference")
	out, err := exec.Command(mpicc, "-w", "-o", program, "testdata/data/data.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, ranks := range []int{1, 2} {
		if !producttest.Turn(t, i, 2) {
			continue
		}
		text, err := exec.Command("mpirun.mpich", "-n", fmt.Sprint(ranks), program).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := sorted(string(text)), dataWanted(t, ranks); !slices.Equal(got, want) {
			t.Errorf("%d ranks: %s", ranks, differing(got, want))
		}
	}
}
