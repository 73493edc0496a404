// Command fortran writes fortran.c.
package main

import (
	"os"

	"fabricast/cmpi/internal/fortran"
)

func main() {
	if err := os.WriteFile("fortran.c", []byte(fortran.Glue()), 0o644); err != nil {
		panic(err)
	}
}
