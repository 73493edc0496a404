//go:build cgo && linux && amd64

package cmpi_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast/cmpi"
	"fabricast/collective"
	"fabricast/collective/tables"
)

// TestTableOfCollectives tells algorithms by their messages: among 16 ranks Bruck's has 4 for each,
// the ring 15, the butterfly 4.
func TestTableOfCollectives(t *testing.T) {
	const n, bruck, ring = 16, 4, 15
	dir, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command(filepath.Join(dir, "mpicc"), "-g", "-O2", "-o", program, "testdata/choose/alltoall.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	table := func(text string) *tables.Table {
		made, err := tables.Read("table", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for _, test := range []struct {
		name    string
		options cmpi.Options
		args    []string
		want    int64 // messages of each rank
	}{
		{"default", cmpi.Options{}, nil, 2 * bruck},
		{"by name", cmpi.Options{Algorithms: map[collective.Kind]collective.Algorithm{collective.KindAlltoall: collective.Ring}}, nil, 2 * ring},
		{"table", cmpi.Options{Table: table("alltoall ring bytes<=4 ranks=16")}, nil, 2 * ring},
		{"table that does not fit", cmpi.Options{Table: table("alltoall ring bytes<4")}, nil, 2 * bruck},
		{"site", cmpi.Options{Table: table("alltoall ring site=alltoall.c:14")}, nil, bruck + ring},
		{"program", cmpi.Options{Table: table("alltoall bruck")}, []string{"ring"}, 3*bruck + ring},
		{"program and site", cmpi.Options{Table: table("alltoall ring site=alltoall.c:13")}, []string{"bruck"}, 3*bruck + ring},
	} {
		lines, result, err := runWith(t, torus(n), program, test.options, test.args...)
		if err != nil || !slices.Equal(lines, ends(n)) {
			t.Errorf("%s: %v\n%s", test.name, err, strings.Join(lines, "\n"))
		} else if result.Messages != n*test.want {
			t.Errorf("%s: found %d messages, expected %d", test.name, result.Messages, n*test.want)
		}
	}
	if _, _, err := runWith(t, torus(n), program, cmpi.Options{}, "binomial"); err == nil ||
		!strings.Contains(
			err.Error(),
			`Fabricast_Collective: alltoall: found algorithm "binomial", expected one of bruck`,
		) {
		t.Errorf("found %v, expected that an unknown algorithm is refused", err)
	}
	bare := compile(t, "testdata/choose/alltoall.c")
	if _, _, err := runWith(t, torus(n), bare, cmpi.Options{Table: table("alltoall ring site=alltoall.c:14")}); err == nil ||
		!strings.Contains(err.Error(), "expected a program compiled with -g") {
		t.Errorf("found %v, expected that a program without line numbers is refused", err)
	}
}
