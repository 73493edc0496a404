package workload

import (
	"fabricast/collective"
	"fabricast/collective/barrier"
	"fabricast/mpi"
)

// recorded replays a recording: a communication pattern, step by step, from a file. The simulator
// NSIM-ACE replays recorded puts in the same way.
var _ = register(180, Program{
	Name: "recorded", Summary: "what a file says, step by step: messages, computation and " +
		"barriers", MinRanks: 1,
	Params: []Param{fileParam, barrierParam, iterationsParam, byAsRecordedParam},
	loop: func(p Params) *mpi.Loop {
		plan := newReplayPlan(p.recording, p.By)
		return plan.loop(&p)
	},
})

// fileParam is the parameter for the name of a recording file.
var fileParam = Param{
	Name: "file", Summary: "a recording: who sends how much to whom, in which step",
	given: func(p *Params) string { return p.File },
	resolve: func(p *Params, ranks int) (problem *Problem) {
		if p.File == "" {
			return &Problem{Param: "file", Expected: "the name of a recording"}
		}
		if r := p.recording; r != nil && r.path == p.File && r.ranks == ranks {
			return nil
		}
		p.recording, problem = readRecording(p.File, ranks)
		return problem
	},
}

// barrierParam is the parameter for the algorithm of the barriers in a recording.
var barrierParam = Param{
	Name: "barrier", Default: collective.Names(collective.KindBarrier)[0], Summary: "the " +
		"algorithm of barriers",
	given: func(p *Params) string { return p.Barrier },
	resolve: func(p *Params, ranks int) *Problem {
		if p.Barrier == "" {
			p.Barrier = collective.Names(collective.KindBarrier)[0]
		}
		p.Barrier = string(collective.Algorithm(p.Barrier).Shown(collective.KindBarrier))
		problem := checkAlgorithm(collective.KindBarrier, p.Barrier, ranks)
		if problem != nil {
			problem.Param = "barrier"
		}
		return problem
	},
}

// byAsRecordedParam is like byParam, for recordings. By default, the recording specifies the
// primitive of each message.
var byAsRecordedParam = Param{
	Name: "by", Default: "as recorded", Summary: "how messages and barriers travel: send, or put " +
		"for one-sided communication",
	given: byParam.given,
	resolve: func(p *Params, _ int) *Problem {
		if p.By == "" {
			return nil
		}
		return p.checkBy()
	},
}

// actionKind is the kind of an action in the replay of a recording.
type actionKind uint8

const (
	actReceive actionKind = iota
	actSend
	actCompute
	actWait // wait for all requests of the step
	actBarrier
)

// action is an action of a rank in the replay of a recording.
type action struct {
	kind    actionKind
	put     bool
	peer    int32
	request int32 // index of the request in its step; for actWait, the number of requests
	n       int64 // size in bytes, or time in ps
}

// replayPlan holds the actions of each rank in the replay of a recording.
type replayPlan struct {
	by      string     // primitive of all messages; "": as recorded
	actions [][]action // actions of each rank
	ends    [][]int32  // by rank: index after the last action of each iteration of its loop
	open    []int32    // by rank: the maximum number of requests in a step
}

// newReplayPlan converts the records of a recording to actions of ranks. by selects the primitive
// of all messages; "" means as recorded.
func newReplayPlan(r *recording, by string) *replayPlan {
	ranks := r.ranks
	p := &replayPlan{
		by:      by,
		actions: make([][]action, ranks),
		ends:    make([][]int32, ranks),
		open:    make([]int32, ranks),
	}
	requests := make([]int32, ranks) // by rank: number of requests in the current step
	for first := 0; first < len(r.records); {
		end := first + 1
		for end < len(r.records) && r.records[end].step == r.records[first].step {
			end++
		}
		p.step(r.records[first:end], requests)
		first = end
	}
	for rank := range p.actions {
		p.ends[rank] = cut(p.actions[rank])
	}
	return p
}

// step adds the actions of a step. In a step, a rank computes, posts its receives, posts its sends,
// and waits for all of them.
func (p *replayPlan) step(records []record, requests []int32) {
	if records[0].kind == recordBarrier {
		for rank := range p.actions {
			p.add(int32(rank), action{kind: actBarrier})
		}
		return
	}
	for _, r := range records {
		if r.kind == recordCompute {
			p.add(r.from, action{kind: actCompute, n: r.n})
		}
	}
	for _, r := range records {
		if r.message() {
			p.request(r.to, action{kind: actReceive, put: p.puts(r), peer: r.from, n: r.n}, requests)
		}
	}
	for _, r := range records {
		if r.message() {
			p.request(r.from, action{kind: actSend, put: p.puts(r), peer: r.to, n: r.n}, requests)
		}
	}
	for _, r := range records {
		if r.message() {
			p.wait(r.from, requests)
			p.wait(r.to, requests)
		}
	}
}

// message reports whether the record is a send or a put.
func (r *record) message() bool { return r.kind == recordSend || r.kind == recordPut }

// puts reports whether message r is a put in the replay.
func (p *replayPlan) puts(r record) bool {
	return p.by == ByPut || p.by == "" && r.kind == recordPut
}

func (p *replayPlan) add(rank int32, a action) { p.actions[rank] = append(p.actions[rank], a) }

// request adds an action that starts a send or receive.
func (p *replayPlan) request(rank int32, a action, requests []int32) {
	a.request = requests[rank]
	requests[rank]++
	p.open[rank] = max(p.open[rank], requests[rank])
	p.add(rank, a)
}

// wait adds a wait for all requests of a rank in the step, unless it has already been added.
func (p *replayPlan) wait(rank int32, requests []int32) {
	if requests[rank] > 0 {
		p.add(rank, action{kind: actWait, request: requests[rank]})
		requests[rank] = 0
	}
}

// mostActions is the maximum number of actions in an iteration of the loop. It is below the maximum
// number of operations of an mpi.Loop between two waits.
const mostActions = 64

// cut divides the actions of a rank into iterations of at most mostActions actions, such that each
// blocking action ends an iteration. It returns the index after the last action of each iteration.
func cut(actions []action) (ends []int32) {
	begin := 0
	for i, a := range actions {
		last := i+1 == len(actions)
		if a.kind == actWait || a.kind == actBarrier || i+1-begin == mostActions || last {
			begin = i + 1
			ends = append(ends, int32(begin))
		}
	}
	return ends
}

// loop returns a loop that executes the plan params.Iterations times.
func (p *replayPlan) loop(params *Params) *mpi.Loop {
	times, barrier := params.Iterations, collective.Algorithm(params.Barrier)
	return &mpi.Loop{
		OpenOf: func(rank int) int { return int(p.open[rank]) },
		Body: func(rank *mpi.Rank, i int, open []mpi.Request) bool {
			ends := p.ends[rank.Rank()]
			if len(ends) == 0 {
				return false
			}
			at, begin := i%len(ends), int32(0)
			if at > 0 {
				begin = ends[at-1]
			}
			for _, a := range p.actions[rank.Rank()][begin:ends[at]] {
				a.do(rank, open, barrier, p.by)
			}
			return i+1 < times*len(ends)
		},
	}
}

// do executes an action of a rank.
func (a *action) do(rank *mpi.Rank, open []mpi.Request, meeting collective.Algorithm, by string) {
	c := collective.Comm(&rank.Comm)
	if a.put {
		c = rank.ByPut()
	}
	switch a.kind {
	case actReceive:
		open[a.request] = c.Irecv(mpi.Size(int(a.n)), int(a.peer), 0)
	case actSend:
		open[a.request] = c.Isend(mpi.Size(int(a.n)), int(a.peer), 0)
	case actCompute:
		rank.Compute(mpi.Duration(a.n))
	case actWait:
		rank.WaitAll(open[:a.request])
	case actBarrier:
		if by == ByPut {
			barrier.Run(rank.ByPut(), meeting)
		} else {
			rank.Barrier(meeting)
		}
	}
}
