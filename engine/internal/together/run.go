package together

import (
	"sync"

	"fabricast/internal/panics"
)

// Run calls work for each of n workers at the same time, for worker 0 on the caller's goroutine, and
// returns when all have ended.
func Run(n int, work func(worker int)) {
	var wg sync.WaitGroup
	for w := 1; w < n; w++ {
		wg.Go(panics.Guarded("worker of the engine", func() { work(w) }))
	}
	work(0)
	wg.Wait()
}
