package run

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"
	"strings"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/dist"
	"fabricast/internal/failure"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/random"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/pacing"
	"fabricast/workload"
	"fabricast/workload/serving"
	"fabricast/workload/training"
)

// program is a job with ranks.
type program struct {
	planned
	again     bool          // the job has already been run
	gaps      *mpi.Pacing   // gaps between messages of a built-in program; nil if not paced
	pacer     *pacing.Pacer // pacer of the program's collectives; nil if none is paced
	begins    []int64       // start time (ps) by rank; nil: all start at 0
	imbalance *ImbalanceResult
	world     *node.World // nil until build
}

// prepare implements job.
func (p *program) prepare(settings) (err error) {
	p.gaps, err = p.Pace()
	p.pacer = p.Pacer()
	return err
}

// ready implements job: it determines the start times of the ranks.
func (p *program) ready(ctx context.Context, s settings) error {
	balanced, err := p.balancedTime(ctx, s)
	if err != nil {
		return err
	}
	p.begins, p.imbalance = begins(p.Plan, balanced)
	if p.Start > 0 {
		if p.begins == nil {
			p.begins = make([]int64, len(p.Hosts))
		}
		for i := range p.begins {
			p.begins[i] += int64(p.Start)
		}
	}
	return nil
}

// balancedTime returns the predicted time of the program without imbalance and noise. If the
// imbalance is given as a fraction of this time, it simulates the program; otherwise it returns the
// time stated in the experiment, or 0.
func (p *program) balancedTime(ctx context.Context, s settings) (units.Time, error) {
	balanced := p.Experiment.Baseline()
	if balanced == nil {
		return p.Experiment.Imbalance.Of, nil
	}
	alone, own := *p, *p.Job
	own.Plan = p.Plan.For(balanced)
	alone.Job = &own
	list := &jobs{list: []job{&alone}, programs: []*program{&alone}, ranks: len(p.Hosts), group: s.group}
	sim, err := simulate(ctx, s.apart(), own.Plan, list)
	var interrupted *failure.InterruptedError
	if errors.As(err, &interrupted) {
		interrupted.SettingUp = true // the run itself has not started
	}
	if err != nil {
		return 0, err
	}
	defer sim.close()
	sim.share()
	return sim.jobs.stats().End, nil
}

// build implements job. If the program has state and has already been run, build creates it anew.
func (p *program) build(s *simulation) error {
	var launch node.Launcher
	var err error
	if p.again && p.Said != nil && p.Said.Again != nil {
		launch, err = p.Said.Again()
	} else {
		launch, err = p.Program(p.gaps)
	}
	if err != nil {
		return err
	}
	if s.wrap != nil {
		launch = s.wrap(p.Name, launch)
	}
	if p.world, err = newWorld(p, launch, &s.settings, s.network.control()); err != nil {
		return err
	}
	p.UseTrees(s.network.agent, p.world)
	return nil
}

// place implements job.
func (p *program) place(b home, t fabric.Transport) (fabric.Endpoint, inhabitants) {
	ranks := p.world.NewBlock(b.Hosts())
	return ranks, inhabitants{func() { ranks.Start(t) }, func() { ranks.Settle(t) }}
}

// leave implements job.
func (*program) leave(e fabric.Endpoint) { e.(*node.Block).Leave() }

// over implements job.
func (p *program) over(now int64, s *standing) bool {
	switch {
	case s.Failed: // the watcher ends the run
		return true
	case s.Finished < p.world.Ranks():
		return s.quiet()
	}
	return s.End < now // a rank's clock may be ahead of the network
}

// stand implements job.
func (p *program) stand(s *standing) {
	s.Finished, s.End = p.world.FinishedHere(), int64(p.world.Stats().End)
	s.Failed = p.world.Failed()
}

// latest implements job.
func (p *program) latest() int64 { return int64(p.world.Latest()) }

// share implements job.
func (p *program) share(g cluster.Group) {
	p.world.Share()
	p.pacer.Share(g)
}

// stats implements job.
func (p *program) stats() *node.Stats { return p.world.Stats() }

// complete implements job: it adds how the program was paced and, if it is the only job, the start
// times of its ranks.
func (p *program) complete(r *Result) {
	before := len(r.Notes)
	r.pacingOfCollectives(p.pacer)
	if p.Name == "" {
		r.Checkpoint = p.goodput()
		r.Pacing, r.Imbalance = predict.SumUpPacing(p.gaps), p.imbalance.end(r.SimulatedTime)
		if r.Training = p.training(); r.Training != nil {
			r.StepTime = r.Training.StepTime
		}
		r.Serving = p.serving()
		return
	}
	for i := range r.Notes[before:] {
		r.Notes[before+i] = "job " + p.Name + ": " + r.Notes[before+i]
	}
}

// sumUp implements job.
func (p *program) sumUp(r *JobResult) {
	w := p.world.Stats()
	r.Program, r.FirstRank = p.runs(), p.First
	r.Ranks, r.Unfinished, r.Unreceived = w.Ranks, w.Ranks-w.Finished, w.Unmet
	r.End = w.End
	for id := range w.Ranks {
		rank := p.world.Record(id)
		r.Wait += rank.Wait
		r.Compute += rank.Compute
		r.Overhead += rank.Overhead
	}
	n := units.Time(max(1, w.Ranks))
	r.Wait, r.Compute, r.Overhead = r.Wait/n, r.Compute/n, r.Overhead/n
	r.Training, r.Serving, r.Checkpoint = p.training(), p.serving(), p.goodput()
}

// params returns the parameters of a program by name, if it is the given one and has ended.
func (p *program) params(program string) (params workload.Params, ended bool) {
	e, sums := p.Experiment, p.world.Stats()
	if e.OwnProgram() || e.Workload.Program != program || sums.Finished < sums.Ranks {
		return params, false
	}
	return e.Workload.Params(e.Seed), true
}

// training returns the result of the program training; nil of others, or if it has not ended.
func (p *program) training() *training.Result {
	params, ended := p.params(workload.Training)
	if !ended {
		return nil
	}
	sums := p.world.Stats()
	return params.Training.Result(sums.Counts[:], params.Iterations, sums.End-p.Start)
}

// serving returns the result of the program serving; nil of others, or if it has not ended.
func (p *program) serving() *serving.Result {
	params, ended := p.params(workload.Serving)
	if !ended {
		return nil
	}
	return params.Served().Result(p.world.Stats())
}

// runs returns a description of the program that the job runs.
func (p *program) runs() string {
	switch {
	case p.Said.Replays():
		return "trace " + p.Said.Trace.File
	case len(p.Said.Command) > 0:
		return strings.Join(p.Said.Command, " ")
	case p.Experiment.OwnProgram():
		return "a function in Go"
	}
	return p.Experiment.Workload.Program
}

// ImbalanceResult summarizes the start times of the ranks and the resulting slowdown.
type ImbalanceResult struct {
	Width units.Time `json:"width_ps,omitempty"` // width of the distribution
	First units.Time `json:"first_begin_ps"`     // start of the first rank
	Mean  units.Time `json:"mean_begin_ps"`      // mean start time
	Last  units.Time `json:"last_begin_ps"`      // start of the last rank
	// time of the balanced experiment; 0 if unknown
	Balanced units.Time `json:"balanced_ps,omitempty"`
	Slowdown float64    `json:"slowdown,omitempty"` // predicted time / balanced time
}

// begins returns the start times (ps) of the ranks, and their summary. The slowdown is added after
// the run. begins returns nil, nil if all ranks start at 0.
func begins(p *plan.Plan, balanced units.Time) ([]int64, *ImbalanceResult) {
	e := p.Experiment
	i := &e.Imbalance
	if !i.Given() {
		return nil, nil
	}
	r := &ImbalanceResult{Balanced: balanced, Width: i.Width.Time}
	list := p.Begins
	if list == nil {
		if i.Width.Share != 0 {
			r.Width = shareOf(balanced, i.Width.Share)
		}
		list = draw(i, e.Ranks, int64(r.Width), e.Seed)
	}
	r.First, r.Last = units.Time(slices.Min(list)), units.Time(slices.Max(list))
	var hi, lo, carry uint64
	for _, t := range list {
		lo, carry = bits.Add64(lo, uint64(t), 0)
		hi += carry
	}
	mean, _ := bits.Div64(hi, lo, uint64(len(list)))
	r.Mean = units.Time(mean)
	return list, r
}

// shareOf returns a fraction of a time, rounded down and limited to 1/64 of the maximum time.
func shareOf(t units.Time, share units.Fraction) units.Time {
	hi, lo := bits.Mul64(uint64(t), uint64(share))
	if hi >= uint64(units.Whole) {
		return math.MaxInt64 / 64
	}
	part, _ := bits.Div64(hi, lo, uint64(units.Whole))
	return units.Time(min(part, math.MaxInt64/64))
}

// beginning separates the random numbers of an imbalance from others with the same seed.
const beginning = 0x626567696e

// draw returns random start times (ps) for the given number of ranks, with the distribution of
// imbalance i and the given width (ps).
func draw(i *experiment.Imbalance, ranks int, width int64, seed uint64) []int64 {
	list := make([]int64, ranks)
	for rank := range list {
		u := random.Scramble(random.Scramble(random.Scramble(seed)+beginning) + uint64(rank))
		switch i.Distribution {
		case experiment.ImbalanceNormal:
			z := dist.Normal(u, random.Scramble(u))
			list[rank] = min(max(0, width/2+dist.Times(width, z)/6), width)
		case experiment.ImbalanceUniform:
			list[rank] = int64(below(u, uint64(width)+1))
		case experiment.ImbalanceExponential:
			list[rank] = dist.Times(width, dist.NegLog(u|1)) / 2
		}
	}
	if i.Order == experiment.OrderSorted {
		slices.Sort(list)
	}
	return list
}

func below(random, n uint64) uint64 {
	hi, _ := bits.Mul64(random, n)
	return hi
}

// end sets the slowdown once the predicted time t is known, and returns r. r may be nil.
func (r *ImbalanceResult) end(t units.Time) *ImbalanceResult {
	if r != nil && r.Balanced > 0 {
		r.Slowdown = float64(t) / float64(r.Balanced)
	}
	return r
}
