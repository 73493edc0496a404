package producttest

import (
	"fmt"
	"strings"
	"sync"

	"fabricast/internal/cluster"
	"fabricast/internal/panics"
)

// InProcesses calls run in n goroutines that act as processes, and returns the error with which all
// of them end. It returns another error if only some of them fail.
func InProcesses(n int, run func(p int, group cluster.Group) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for p, group := range cluster.Local(n) {
		all.Go(panics.Guarded("process of a test", func() { errs[p] = run(p, group) }))
	}
	all.Wait()
	for p, err := range errs {
		if (err == nil) != (errs[0] == nil) {
			return fmt.Errorf("process %d ends with %w, the first with %v", p, err, errs[0])
		}
	}
	return errs[0]
}

// NeedsOneProcess reports whether an experiment was refused because several processes cannot share
// it.
func NeedsOneProcess(err error) bool {
	return strings.Contains(err.Error(), "expected one: ") ||
		strings.Contains(err.Error(), "at most one process a router")
}
