package predict

import (
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/mpi"
	"fabricast/node"
)

// Work counts what a run does.
type Work struct {
	Messages float64 `json:"messages"`    // that arrive
	Packets  float64 `json:"packets"`     // that are injected
	Hops     float64 `json:"packet_hops"` // links between routers that packets take
	// CPU is an estimate of the processor time (seconds) of the run with one worker, see cpuTime.
	CPU float64 `json:"cpu_s,omitempty"`
}

// Times returns the work of so many runs.
func (w Work) Times(n float64) Work {
	return Work{w.Messages * n, w.Packets * n, w.Hops * n, w.CPU * n}
}

// Steps returns the work as one number: one for each message that arrives, each packet that is
// injected, and each hop of a packet.
func (w Work) Steps() float64 { return w.Messages + w.Packets + w.Hops }

const (
	// postCost is the cost of finding the next message that a rank posts, in steps of work.
	postCost = 4
	// workBudget limits the cost of finding the work of a preview, in the same steps: some tenths of a
	// second.
	workBudget = 1 << 20
)

// SurveyWork estimates the work of a run of a program by name: that of the first n iterations, or of
// the first n messages of each rank, scaled to all. gaps are those of the program's messages, or
// nil. Ranks are surveyed until the budget is used up or stop returns true. used is what that cost.
// ok is false if the messages cannot be listed, or if it was stopped.
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
			total, surveyed = before, 0 // of a host's ranks all count, or none
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

// FindWork estimates the work of the run and sets Work. It leaves Work nil where it is not known:
// for traffic, which ends when its figures are precise enough, and for programs of one's own.
func (p *Preview) FindWork() error {
	e := p.plan.Experiment
	if e.OwnProgram() || e.HasTraffic() || e.Network.Abstract() {
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

// Processor time (nanoseconds) of what a run does, on the machines of docs/performance.md: of a hop on
// the fast path and on the general one, of a message with all that its ranks do, and of laying out
// the network, for each host.
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
