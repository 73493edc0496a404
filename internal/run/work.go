package run

import (
	"sync/atomic"
	"time"

	"fabricast/internal/panics"
	"fabricast/internal/predict"
)

const (
	// forecastAfter is the wall-clock time after which the total predict.Work of a run is
	// estimated.
	forecastAfter = time.Second
	// forecastBudget limits the cost of an estimate, in steps of work and hops of routes, to less
	// than a tenth of a second.
	forecastBudget = 300_000
)

// workForecast estimates the total predict.Work of a run of a built-in program, in the background
// of the run. It lists the messages that ranks post, without simulating them, for all ranks and
// iterations or for as many as the budget permits.
type workForecast struct {
	program  *program
	budget   int64
	adaptive bool // routes depend on the load
	stop     atomic.Bool
	total    atomic.Pointer[predict.Work] // nil if unknown
	ended    <-chan struct{}              // nil until the estimate has started
}

// newWorkForecast prepares the estimate for a program. It returns nil for a user's own program,
// whose messages are unknown, and for abstract networks.
func newWorkForecast(p *program) *workForecast {
	if p.Experiment.OwnProgram() || !p.Experiment.Network.Credits() {
		return nil
	}
	return &workForecast{program: p, budget: forecastBudget, adaptive: p.Fabric.Adaptive != nil}
}

// begin starts the estimate in the background, unless it has been started before. f may be nil.
func (f *workForecast) begin() {
	if f == nil || f.ended != nil {
		return
	}
	f.ended = panics.Go("forecast of a run's work", func() {
		if total, ok := f.make(); ok {
			f.total.Store(&total)
		}
	})
}

// end stops the estimate if it has not finished yet. f may be nil.
func (f *workForecast) end() {
	if f == nil || f.ended == nil {
		return
	}
	f.stop.Store(true)
	<-f.ended
}

// make computes the estimate. It is exact if the budget suffices for all ranks and iterations, and
// routes depend neither on chance nor on load. ok is false if the program's messages cannot be
// listed, or if the run has ended.
func (f *workForecast) make() (total predict.Work, ok bool) {
	one, used, ok := f.iterations(1)
	if !ok {
		return predict.Work{}, false
	}
	if more := f.budget / max(1, used); more > 1 {
		return f.longer(int(more))
	}
	return one, true
}

// longer computes the estimate from the given number of iterations.
func (f *workForecast) longer(iterations int) (total predict.Work, ok bool) {
	total, _, ok = f.iterations(iterations)
	return total, ok
}

// iterations estimates the total predict.Work from the first n iterations, or from the first n
// messages of each rank. used is the cost of this estimate.
func (f *workForecast) iterations(n int) (total predict.Work, used int64, ok bool) {
	return predict.SurveyWork(f.program.Plan, f.program.world, f.program.gaps, n, f.budget, f.stop.Load)
}

// of returns the estimated total, given the work done so far; zero if unknown. With adaptive
// routing it assumes that the remaining packets take as many hops as the packets so far.
func (f *workForecast) of(done predict.Work) (total predict.Work) {
	if f == nil {
		return predict.Work{}
	}
	found := f.total.Load()
	if found == nil {
		return predict.Work{}
	}
	total = *found
	if f.adaptive && done.Packets > 0 {
		total.Hops = max(total.Hops, total.Packets*done.Hops/done.Packets)
	}
	return total
}
