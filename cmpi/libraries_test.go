//go:build cgo && linux && amd64

package cmpi_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast/internal/producttest"
)

// TestOwnLibraries has ranks with variables of their own in a shared library, which calls MPI and
// throws exceptions, from programs in C and in C++.
func TestOwnLibraries(t *testing.T) {
	folder := t.TempDir()
	build(
		t, "mpicxx", "-O1", "-fPIC", "-shared", "-o", filepath.Join(folder, "libown.so"),
		"testdata/libraries/library.cc",
	)
	for i, test := range []struct{ compiler, source, caught string }{
		{"mpicc", "plain.c", ""},
		{"mpicxx", "throwing.cc", " refused %d"},
	} {
		if !producttest.Turn(t, i, 2) {
			continue
		}
		t.Run(test.source, func(t *testing.T) {
			program := filepath.Join(folder, strings.ReplaceAll(test.source, ".", "-"))
			build(
				t, test.compiler, "-O1", "-o", program, "testdata/libraries/"+test.source,
				"-L"+folder,
				"-lown",
				"-Wl,-rpath,$ORIGIN",
			)
			got, _, err := run(t, torus(3), program, 2)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for rank := range 3 {
				want = append(want, fmt.Sprintf("library %d: refused %d library! %d", rank, rank, 1+rank+102))
			}
			for rank := range 3 {
				line := fmt.Sprintf("program %d: 3 %d %d", rank, 10+rank, 7+rank)
				if test.caught != "" {
					line += fmt.Sprintf(test.caught, rank)
				}
				want = append(want, line)
			}
			if !slices.Equal(got, want) {
				t.Errorf("found\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}
