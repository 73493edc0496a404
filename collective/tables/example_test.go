package tables_test

import (
	"fmt"
	"log"
	"strings"

	"fabricast/collective"
	"fabricast/collective/tables"
)

// A table of rules chooses algorithms by size.
func ExampleRead() {
	const rules = "alltoall bruck bytes<=1KiB\nalltoall pairwise\n"
	table, err := tables.Read("rules", strings.NewReader(rules))
	if err != nil {
		log.Fatal(err)
	}
	for _, size := range []int64{64, 1 << 20} {
		call := tables.Call{Ranks: 16, Bytes: size}
		fmt.Println(size, table.Choose(collective.KindAlltoall, call))
	}
	// Output:
	// 64 bruck
	// 1048576 pairwise
}
