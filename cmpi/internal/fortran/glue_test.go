package fortran_test

import (
	"os"
	"testing"

	"fabricast/cmpi/internal/fortran"
)

// TestGlueIsCurrent demands that the C file has been written anew since the interface changed.
func TestGlueIsCurrent(t *testing.T) {
	found, err := os.ReadFile("../host/fortran.c")
	if err != nil {
		t.Fatal(err)
	}
	if string(found) != fortran.Glue() {
		t.Error("fortran.c is not what go generate ./cmpi/internal/host writes")
	}
}
