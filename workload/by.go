package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// Values of Params.By: the primitive used for a program's messages.
const (
	BySend = "send" // two-sided communication: sends and receives
	ByPut  = "put"  // one-sided communication: a put instead of each send, and polling instead of each receive
)

// byParam is the parameter that selects the primitive used for messages.
var byParam = Param{
	Name: "by", Default: BySend, Summary: "how messages travel: send, or put for one-sided communication",
	given: func(p *Params) string { return p.By },
	resolve: func(p *Params, _ int) *Problem {
		if p.By == "" {
			p.By = BySend
		}
		return p.checkBy()
	},
}

func (p *Params) checkBy() *Problem {
	if names := []string{BySend, ByPut}; p.By != BySend && p.By != ByPut {
		return &Problem{Param: "by", Found: p.By, Expected: oneOf(names), Choices: names}
	}
	return nil
}

// messages returns the communicator for the sends and receives of a rank in an iteration. With
// pacing, it is the communicator of user-written collectives, to whose messages pacing applies.
func (p *Params) messages(rank *mpi.Rank) collective.Comm {
	if p.Pacing != nil {
		rank.Pace(p.Pacing)
		if p.By == ByPut {
			return rank.ByPut().Collective()
		}
		return rank.Collective()
	}
	if p.By == ByPut {
		return rank.ByPut()
	}
	return &rank.Comm
}

// Answered reports whether some messages are puts, to which NICs must respond. The parameters must
// have been resolved, see Program.Resolve.
func (p *Params) Answered() bool {
	return p.By == ByPut || p.By == "" && p.recording != nil && p.recording.puts()
}
