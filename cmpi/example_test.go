package cmpi_test

import (
	"fmt"

	"fabricast/cmpi"
)

// Programs may call what is implemented of MPI.
func ExampleFunctions() {
	for _, f := range cmpi.Functions() {
		if f.Name == "MPI_Allreduce" {
			fmt.Println(f.Name, f.Here)
		}
	}
	// Output: MPI_Allreduce true
}
