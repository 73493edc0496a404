package pacing_test

import (
	"fmt"

	"fabricast/collective"
	"fabricast/collective/barrier"
	"fabricast/pacing"
)

// The steps of a collective are what pacing looks at.
func ExampleSteps() {
	barrier := func(c collective.Comm) { barrier.Dissemination(c) }
	for m := range pacing.Steps(4, barrier) {
		fmt.Println("step", m.Step, "from", m.From, "to", m.To)
	}
	// Output:
	// step 0 from 0 to 1
	// step 0 from 1 to 2
	// step 0 from 2 to 3
	// step 0 from 3 to 0
	// step 1 from 0 to 2
	// step 1 from 1 to 3
	// step 1 from 2 to 0
	// step 1 from 3 to 1
}
