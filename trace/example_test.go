package trace_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"fabricast/trace"
)

// If a trace has one file per rank, the name of any of them is enough to find all.
func ExampleRankFiles() {
	dir, err := os.MkdirTemp("", "trace")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"run-0.txt", "run-1.txt", "run-2.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			log.Fatal(err)
		}
	}
	files, err := trace.RankFiles(filepath.Join(dir, "run-1.txt"), 3)
	if err != nil {
		log.Fatal(err)
	}
	for rank, file := range files {
		fmt.Println(rank, filepath.Base(file))
	}
	// Output:
	// 0 run-0.txt
	// 1 run-1.txt
	// 2 run-2.txt
}
