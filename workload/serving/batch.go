package serving

// sequence is a request in progress in an instance.
type sequence struct {
	Request int32
	Group   int32 // tensor group that has its keys and values
	Done    int32 // tokens of the prompt that have been processed
	Made    int32 // tokens that have been generated
	Now     int32 // tokens of the iteration in progress
	From    int32 // first iteration that it is in
}

// shape is what one tensor group works on in an iteration.
type shape struct {
	Tokens  int64 // that pass the layers
	Logits  int64 // sequences that get a token
	Pairs   int64 // of queries with keys, of prompts
	Decodes int64 // of queries with keys, of tokens after the first
	Context int64 // tokens whose keys and values are read
	Most    int64 // tokens of the group that has most
}

// compose chooses what an iteration works on: a token for each sequence whose prompt is done, then
// parts of prompts, in the order of admission, as far as the tokens of a group allow (chunked
// prefill: Agrawal et al., Sarathi-Serve, OSDI 2024). It returns the shape of the given group's work.
func (p *program) compose(list []sequence, iteration int32, group int) (s shape) {
	var left [2]int64
	budgets := left[:0]
	for range p.job.Expert {
		budgets = append(budgets, int64(p.job.Batching.Tokens))
	}
	for _, prompts := range []bool{false, true} {
		for i := range list {
			q := &list[i]
			of := &p.requests[q.Request]
			if q.From > iteration || q.Done < of.Prompt != prompts {
				continue
			}
			q.Now = 1
			if prompts {
				q.Now = int32(min(budgets[q.Group], int64(of.Prompt-q.Done)))
			}
			budgets[q.Group] -= int64(q.Now)
			if int(q.Group) == group {
				s.add(q, of)
			}
		}
	}
	for _, b := range budgets {
		s.Most = max(s.Most, int64(p.job.Batching.Tokens)-b)
	}
	return s
}

// add adds a sequence's part of an iteration.
func (s *shape) add(q *sequence, of *Request) {
	n := int64(q.Now)
	if n == 0 {
		return
	}
	s.Tokens += n
	if q.Done < of.Prompt {
		before := int64(q.Done)
		s.Pairs += n*before + n*(n+1)/2
		s.Context += before + n
		if q.Done+q.Now == of.Prompt {
			s.Logits++
		}
		return
	}
	context := int64(of.Prompt) + int64(q.Made)
	s.Decodes += context
	s.Context += context
	s.Logits++
}

// progress notes that the sequence's part of an iteration is done. first reports that this was the
// end of its prompt, which gives its first token.
func (q *sequence) progress(of *Request) (first bool) {
	n := q.Now
	q.Now = 0
	if q.Done == of.Prompt {
		q.Made++
		return false
	}
	q.Done += n
	if q.Done < of.Prompt {
		return false
	}
	q.Made = 1
	return true
}
