// Command fortran writes fortran.c and mpif.h.
package main

import (
	"os"

	"fabricast/cmpi/internal/fortran"
)

func main() {
	for path, text := range map[string]string{"fortran.c": fortran.Glue(), "mpif.h": fortran.Include()} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
}
