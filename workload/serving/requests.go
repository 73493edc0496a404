package serving

import (
	"fabricast/internal/dist"
	"fabricast/internal/random"
)

// Request is a request to the service.
type Request struct {
	At             int64 // ps after the start
	Prompt, Output int32 // tokens
}

// tokens returns the number of tokens whose keys and values are kept at the end.
func (q *Request) tokens() int64 { return int64(q.Prompt) + int64(q.Output) }

// requests returns the requests of a resolved job, in ascending order of times.
func (j *Job) requests() []Request {
	a := &j.Arrivals
	if j.Requests != nil {
		return j.Requests[:a.Requests]
	}
	list := make([]Request, a.Requests)
	at := int64(0)
	for i := range list {
		// a request has the same random numbers whatever the interval and the lengths
		draw := func(k uint64) uint64 {
			return random.Scramble(random.Scramble(j.Seed) + uint64(i)*8 + k)
		}
		length := func(median, spread int, k uint64) int32 {
			if spread == 0 {
				return int32(median)
			}
			return int32(dist.LogNormal(int64(median), int64(spread), dist.Normal(draw(k), draw(k+1)), mostTokens))
		}
		if i > 0 {
			at += dist.Times(int64(a.Interval), dist.NegLog(draw(0)|1))
		}
		list[i] = Request{At: at, Prompt: length(a.Prompt, a.PromptSpread, 1), Output: length(a.Output, a.OutputSpread, 3)}
	}
	return list
}
