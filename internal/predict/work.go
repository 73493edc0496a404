package predict

import (
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/mpi"
	"fabricast/node"
)

// Work counts the work of a run.
type Work struct {
	Messages float64 `json:"messages"`    // messages received
	Packets  float64 `json:"packets"`     // packets injected
	Hops     float64 `json:"packet_hops"` // number of links between routers that packets pass
	// CPU is an estimate of the processor time (seconds) of the run with one worker, see cpuTime.
	CPU float64 `json:"cpu_s,omitempty"`
}

// Times returns the work of n runs.
func (w Work) Times(n float64) Work {
	return Work{w.Messages * n, w.Packets * n, w.Hops * n, w.CPU * n}
}

// Steps returns the work as one number: each message received, each packet injected, and each hop
// of a packet counts one.
func (w Work) Steps() float64 { return w.Messages + w.Packets + w.Hops }

const (
	// postCost is the cost of finding the next message that a rank posts, in steps of work.
	postCost = 4
	// workBudget limits the cost of finding the work of a preview, in steps of work, so that it
	// takes some tenths of a second.
	workBudget = 1 << 20
)

// SurveyWork estimates the work of a run of a built-in program. It follows the first n iterations,
// or the first n messages of each rank, and scales the result to the whole run. gaps paces the
// messages; it may be nil. Ranks are surveyed until the budget (in steps of work) is used up or
// stop returns true. used is the cost in steps. ok is false if the messages cannot be listed, or if
// stop returned true.
func SurveyWork(
	p *plan.Plan, world *node.World, gaps *mpi.Pacing, n int, budget int64, stop func() bool,
) (total Work, used int64, ok bool) {
	surveyor, times, err := p.Surveyor(world, gaps, n)
	if err != nil {
		return Work{}, 0, false
	}
	defer surveyor.Close()
	cut := false
	visit := func(t node.Transfer) bool {
		used += postCost
		var hops int
		hops, err = total.add(&p.Fabric, t, uint64(used))
		used += int64(hops)
		cut = used >= 2*budget || stop()
		return err == nil && !cut
	}
	ranks, more := 0, true
	for more && err == nil && !cut && used < budget {
		before, surveyed := total, 0
		var failed error
		if surveyed, more, failed = surveyor.Next(visit); failed != nil {
			err = failed
		}
		if cut {
			total, surveyed = before, 0 // the ranks of a host count all together or not at all
		}
		ranks += surveyed
	}
	if ranks == 0 || err != nil || stop() {
		return Work{}, used, false
	}
	return total.Times(times * float64(p.Experiment.Ranks) / float64(ranks)), used, true
}

// add counts a transfer. attempt seeds the random choices of its route.
func (w *Work) add(spec *fabric.Spec, t node.Transfer, attempt uint64) (hops int, err error) {
	if t.Message {
		w.Messages++
	}
	if t.From == t.To {
		return 0, nil
	}
	hops, err = Hops(spec, t.From, t.To, attempt)
	packets := float64(spec.Packet.Count(int64(t.Size)))
	w.Packets += packets
	w.Hops += packets * float64(hops)
	return hops, err
}

// FindWork estimates the work of the run and sets Work. It leaves Work nil if the work is unknown:
// for synthetic traffic, which ends when its results are precise enough, and for the user's own
// programs.
func (p *Preview) FindWork() error {
	e := p.plan.Experiment
	if e.OwnProgram() || e.HasTraffic() || !e.Network.Credits() {
		return nil
	}
	plans := []*plan.Plan{p.plan}
	if e.HasJobs() {
		plans = plans[:0]
		for i := range p.plan.Jobs {
			plans = append(plans, p.plan.Jobs[i].Plan)
		}
	}
	sum := Work{}
	for _, one := range plans {
		if one.Experiment.OwnProgram() || one.Experiment.HasTraffic() {
			return nil
		}
		world, err := one.SurveyWorld()
		if err != nil {
			return err
		}
		never := func() bool { return false }
		found, _, ok := SurveyWork(one, world, nil, 1, workBudget/int64(len(plans)), never)
		if !ok {
			return nil
		}
		sum.Messages, sum.Packets = sum.Messages+found.Messages, sum.Packets+found.Packets
		sum.Hops += found.Hops
	}
	sum.CPU = sum.cpuTime(&p.plan.Fabric)
	p.Work = &sum
	return nil
}

// Processor time (nanoseconds) on the machines of docs/performance.md: of a hop on the fast path
// and on the general path, of a message including the work of its ranks, and, for each host, of
// building the network.
const (
	fastHop, generalHop = 120, 350
	eachMessage         = 1000
	eachHost            = 2000
)

// cpuTime estimates the processor time (seconds) of the work with one worker.
func (w *Work) cpuTime(spec *fabric.Spec) float64 {
	hop := float64(fastHop)
	if fabric.General(*spec) {
		hop = generalHop
	}
	each := w.Messages*eachMessage + float64(spec.Graph.Hosts)*eachHost
	return (each + (w.Packets+w.Hops)*hop) * 1e-9
}
