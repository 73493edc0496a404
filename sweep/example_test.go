package sweep_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"fabricast/sweep"
)

// A sweep runs an experiment at each value of its axes and checks the findings.
func ExampleFile_Run() {
	dir, err := os.MkdirTemp("", "sweep")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ranks.yaml")
	const text = `experiment:
  network: {topology: {dims: [4, 4]}}
  workload: {program: ring, size: 64B}
axes: [{field: ranks, values: [4, 8, 16], name: ranks}]
columns: [messages]
findings: [{that: there are more messages with more ranks, value: messages, rises: ranks}]
`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
	f, err := sweep.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	table, err := f.Run(context.Background(), sweep.Options{Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	if err := table.CSV(os.Stdout); err != nil {
		log.Fatal(err)
	}
	verdicts, err := table.Judge()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(verdicts), "finding, holds:", verdicts[0].Holds)
	// Output:
	// ranks,messages
	// 4,4
	// 8,8
	// 16,16
	// 1 finding, holds: true
}
