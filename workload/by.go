package workload

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// How the messages of a program travel.
const (
	BySend = "send" // between two sides
	ByPut  = "put"  // one-sided: a put for each send, and polling for it in place of the receive
)

// byParam is how a program's messages travel.
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

// messages is what a rank of a program sends and receives with.
func (p *Params) messages(rank *mpi.Rank) collective.Comm {
	if p.By == ByPut {
		return rank.ByPut()
	}
	return &rank.Comm
}

// Answered tells whether NICs have to answer messages, because some of them are puts. The parameters must be resolved.
func (p *Params) Answered() bool {
	return p.By == ByPut || p.By == "" && p.recording != nil && p.recording.puts()
}
