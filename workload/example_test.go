package workload_test

import (
	"fmt"

	"fabricast/workload"
)

// Resolve sets the defaults of missing parameters, and reports invalid ones.
func ExampleProgram_Resolve() {
	p := workload.Find("alltoall")
	_, wrong := p.Resolve(workload.Params{Algorithm: "bruk", Size: 1024}, 16)
	for _, w := range wrong {
		fmt.Println(w.Param, "is", w.Found)
	}
	params, wrong := p.Resolve(workload.Params{Size: 1024}, 16)
	fmt.Println(len(wrong), "mistakes,", params.Iterations, "iteration")
	// Output:
	// algorithm is bruk
	// 0 mistakes, 1 iteration
}
