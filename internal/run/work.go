package run

import (
	"sync/atomic"
	"time"

	"fabricast/internal/experiment"
	"fabricast/internal/panics"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/workload"
)

// work counts what a run does, as a measure of its progress.
type work struct {
	messages float64 // that arrive
	packets  float64 // that are injected
	hops     float64 // router-to-router links taken by packets
}

func (w work) times(n float64) work { return work{w.messages * n, w.packets * n, w.hops * n} }

// steps returns the work as one number: one for each message that arrives, each packet that is
// injected, and each hop of a packet.
func (w work) steps() float64 { return w.messages + w.packets + w.hops }

const (
	// forecastAfter is how long a run takes before its total work is estimated.
	forecastAfter = time.Second
	// forecastBudget limits the cost of an estimate, in steps of work and hops of routes: less than a
	// tenth of a second.
	forecastBudget = 300_000
	// postCost is the cost of finding the next message that a rank posts, in the same steps.
	postCost = 4
)

// workForecast estimates the total work of a run of a built-in program, in the background of the
// run. It lets the ranks post their messages without simulating them: all ranks and iterations, or
// as many as the budget allows.
type workForecast struct {
	e        *experiment.Resolved
	plan     *plan.Plan
	gaps     *mpi.Pacing // of the program's messages; nil if there are none
	world    *node.World
	budget   int64
	adaptive bool // routes depend on the load
	stop     atomic.Bool
	total    atomic.Pointer[work] // nil while it is not known
	ended    <-chan struct{}      // nil until it has begun
}

// newWorkForecast prepares the estimate for a simulation. It returns nil for a user's own program,
// whose messages are unknown.
func newWorkForecast(s *simulation, gaps *mpi.Pacing) *workForecast {
	e := s.plan.Experiment
	world, oneProgram := s.world.(*node.World)
	if e.OwnProgram() || !oneProgram || e.Network.Abstract() {
		return nil
	}
	adaptive := s.plan.Fabric.Adaptive != nil
	return &workForecast{
		e:        e,
		plan:     s.plan,
		gaps:     gaps,
		world:    world,
		budget:   forecastBudget,
		adaptive: adaptive,
	}
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

// make computes the estimate. It is exact if the budget allows for all ranks and iterations and
// routes do not depend on chance or load. ok is false if the program's messages cannot be listed,
// or if the run has ended.
func (f *workForecast) make() (total work, ok bool) {
	one, used, ok := f.iterations(1)
	if !ok {
		return work{}, false
	}
	if more := f.budget / max(1, used); more > 1 {
		return f.longer(int(more))
	}
	return one, true
}

// longer computes the estimate from the given number of iterations.
func (f *workForecast) longer(iterations int) (total work, ok bool) {
	total, _, ok = f.iterations(iterations)
	return total, ok
}

// iterations estimates the total work from the first n iterations, or from the first n messages of
// each rank. used is what that cost of the budget.
func (f *workForecast) iterations(n int) (total work, used int64, ok bool) {
	program := workload.Find(f.e.Workload.Program)
	params := f.e.Workload.Params(f.e.Seed)
	params.Pacing = f.gaps
	params, problems := program.Resolve(params, f.e.Ranks)
	if len(problems) > 0 {
		return work{}, 0, false
	}
	params, times := program.Shorter(params, n)
	loop, err := workload.Build(program.Name, params, f.e.Ranks)
	if err != nil {
		return work{}, 0, false
	}
	found, used, ok := f.survey(loop)
	return found.times(times), used, ok
}

// survey adds up the work of what ranks post until the budget is used up, and scales the sum to all
// ranks.
func (f *workForecast) survey(loop *mpi.Loop) (total work, used int64, ok bool) {
	surveyor, err := f.world.Surveyor(loop.Programs())
	if err != nil {
		return work{}, 0, false
	}
	defer surveyor.Close()
	size := &f.plan.Fabric.Packet
	cut := false
	visit := func(t node.Transfer) bool {
		used += postCost
		if t.Message {
			total.messages++
		}
		if t.From != t.To {
			var hops int
			if hops, err = predict.Hops(&f.plan.Fabric, t.From, t.To, uint64(used)); err != nil {
				return false
			}
			packets := float64(size.Count(int64(t.Size)))
			used += int64(hops)
			total.packets += packets
			total.hops += packets * float64(hops)
		}
		cut = used >= 2*f.budget || f.stop.Load()
		return !cut
	}
	ranks, more := 0, true
	for more && err == nil && !cut && used < f.budget {
		var n int
		before := total
		if n, more, err = surveyor.Next(visit); cut {
			total, n = before, 0 // of a host's ranks all count, or none
		}
		ranks += n
	}
	if ranks == 0 || err != nil || f.stop.Load() {
		return work{}, used, false
	}
	return total.times(float64(f.e.Ranks) / float64(ranks)), used, true
}

// of returns the estimated total after some work has been done; zero if it is unknown. With
// adaptive routing it assumes that the remaining packets take as many hops as those so far.
func (f *workForecast) of(done work) (total work) {
	if f == nil {
		return work{}
	}
	found := f.total.Load()
	if found == nil {
		return work{}
	}
	total = *found
	if f.adaptive && done.packets > 0 {
		total.hops = max(total.hops, total.packets*done.hops/done.packets)
	}
	return total
}

// work returns how much of the simulation's work is done, and the total, which is 0 if unknown. For
// an unknown program it counts the ranks that have ended.
func (s *simulation) work() (done, total float64) {
	if s.forecast == nil {
		const least = 0.01
		ended, ranks := float64(s.world.Finished()), float64(s.world.Ranks())
		if ended < least*ranks {
			return 0, 0
		}
		return ended, ranks
	}
	network := s.network.Progress()
	so := work{float64(s.world.Arrived()), float64(network.Packets), float64(network.Hops)}
	return so.steps(), s.forecast.of(so).steps()
}
