package serving

import (
	"slices"

	"fabricast/internal/units"
	"fabricast/node"
)

// Notes about a request; those about an instance follow those of all requests.
const (
	noteFirst = iota // when its first token is there
	noteCache        // when its keys and values are with the instance for tokens
	noteEnd          // when its last token is there
	notesOfRequest
)

// Notes about an instance.
const (
	noteBase = iota // when it has started
	noteIterations
	noteRequests
	noteTokens
	noteMostRequests
	noteReserved
	noteMostReserved
	noteMade
	notesOfInstance
)

// key returns the key of a note about a request.
func (p *program) key(request, what int) int64 { return int64(notesOfRequest*request + what) }

// sumUp notes the figures of the instance.
func (r *rank) sumUp(ops *node.Ops) {
	first := r.key(len(r.requests), notesOfInstance*r.instance())
	f := &r.leader.figures
	for i, n := range [notesOfInstance]int64{
		r.leader.base, f.Iterations, f.Requests, f.Tokens, f.MostRequests, f.Reserved, f.MostReserved, f.Made,
	} {
		ops.Note(first+int64(i), n)
	}
}

// Distribution is the distribution of a time over requests. Percentiles are times of requests.
type Distribution struct {
	Mean units.Time `json:"mean"`
	P50  units.Time `json:"p50"`
	P90  units.Time `json:"p90"`
	P99  units.Time `json:"p99"`
	Max  units.Time `json:"max"`
}

// distribution returns the distribution of times (ps), all 0 if there are none. It sorts them.
func distribution(times []int64) (d Distribution) {
	n := len(times)
	if n == 0 {
		return d
	}
	slices.Sort(times)
	whole, rest := int64(0), int64(0)
	for _, t := range times {
		whole += t / int64(n)
		rest += t % int64(n)
	}
	at := func(percent int) units.Time { return units.Time(times[(n*percent+99)/100-1]) }
	return Distribution{units.Time(whole + rest/int64(n)), at(50), at(90), at(99), at(100)}
}

// Result is what a service has done.
type Result struct {
	Requests  int   `json:"requests"`
	Prompts   int64 `json:"prompt_tokens"`
	Generated int64 `json:"generated_tokens"`
	// Duration is from the arrival of the first request to the end of the last one.
	Duration          units.Time `json:"duration_ps"`
	RequestsPerSecond float64    `json:"requests_per_s"`
	TokensPerSecond   float64    `json:"tokens_per_s"` // generated
	// FirstToken and Latency are times from arrival; TokenTime is the mean time between the tokens of
	// a request that has several; Transfer is that from the first token until keys and values are
	// with the instance for the others.
	FirstToken Distribution  `json:"time_to_first_token_ps"`
	TokenTime  Distribution  `json:"time_per_output_token_ps"`
	Latency    Distribution  `json:"request_latency_ps"`
	Transfer   *Distribution `json:"kv_transfer_ps,omitempty"`
	// Goodput is what keeps the objectives; nil if there are none.
	Goodput *Goodput `json:"goodput,omitempty"`
	// Iterations are those of all instances together.
	Iterations int64       `json:"iterations"`
	Batch      BatchResult `json:"batch"`
	Cache      CacheResult `json:"kv_cache"`
	// Computation is the mean over ranks, Exposed that of the time in which a rank waited for
	// communication, by dimension, and ExposedShare its part of both together.
	Computation  units.Time            `json:"compute_ps"`
	Exposed      map[string]units.Time `json:"exposed_ps"`
	ExposedShare float64               `json:"exposed_share"`
	Memory       MemoryResult          `json:"memory_bytes"`
}

// Goodput is the part of the requests that keeps the objectives, and how many that are in a second.
type Goodput struct {
	Share             float64 `json:"share"`
	RequestsPerSecond float64 `json:"requests_per_s"`
}

// BatchResult is the work of an instance in an iteration.
type BatchResult struct {
	MeanRequests float64 `json:"mean_requests"`
	MaxRequests  int64   `json:"max_requests"`
	MeanTokens   float64 `json:"mean_tokens"`
}

// CacheResult says how much of the memory for keys and values of an instance is taken in an iteration.
type CacheResult struct {
	Capacity int64   `json:"capacity_tokens"` // of all tensor groups of an instance
	Mean     float64 `json:"mean_share"`
	Max      float64 `json:"max_share"`
}

// MemoryResult is the memory of a GPU.
type MemoryResult struct {
	Weights   units.Bytes `json:"weights"`
	Cache     units.Bytes `json:"kv_cache"` // all that is there for it
	Available units.Bytes `json:"available"`
}

// Result returns what a resolved job has done, from what its ranks have kept.
func (j *Job) Result(stats *node.Stats) *Result {
	requests := j.requests()
	notes := j.notes(stats, len(requests))
	l := j.layout(stats.Ranks)
	r := &Result{
		Requests: len(requests), Exposed: map[string]units.Time{},
		Memory: MemoryResult{j.Weights(), units.Bytes(j.Capacity() * j.cacheBytes()), j.Accelerator.Memory},
	}
	t := times{first: make([]int64, 0, len(requests))}
	base := func(instance int) int64 { return notes[notesOfRequest*len(requests)+notesOfInstance*instance+noteBase] }
	start := base(l.prompter(0)) + requests[0].At
	for i := range requests {
		q, of := &requests[i], notes[notesOfRequest*i:]
		arrival := base(l.prompter(i)) + q.At
		start = min(start, arrival)
		t.add(q, &j.Objectives, arrival, of)
		r.Prompts += int64(q.Prompt)
	}
	r.Duration = units.Time(t.end - start)
	r.FirstToken, r.TokenTime, r.Latency = distribution(t.first), distribution(t.token), distribution(t.whole)
	if l.pooled() {
		d := distribution(t.transfer)
		r.Transfer = &d
	}
	r.instances(notes[notesOfRequest*len(requests):], j.Capacity()*int64(j.Expert), l.instances)
	seconds := float64(max(1, r.Duration)) / float64(units.Second)
	r.RequestsPerSecond = float64(r.Requests) / seconds
	r.TokensPerSecond = float64(r.Generated) / seconds
	if j.Objectives != (Objectives{}) {
		r.Goodput = &Goodput{float64(t.kept) / float64(r.Requests), float64(t.kept) / seconds}
	}
	ranks := int64(stats.Ranks)
	r.Computation = units.Time(stats.Counts[computed] / ranks)
	waits := int64(0)
	for d, name := range Dimensions() {
		waits += stats.Counts[exposed+d]
		r.Exposed[name] = units.Time(stats.Counts[exposed+d] / ranks)
	}
	r.ExposedShare = float64(waits) / float64(max(1, waits+stats.Counts[computed]))
	return r
}

// notes returns the notes of all ranks, by key.
func (j *Job) notes(stats *node.Stats, requests int) []int64 {
	list := make([]int64, notesOfRequest*requests+notesOfInstance*j.layout(stats.Ranks).instances)
	for _, n := range stats.Notes {
		list[n.Key] = n.Value
	}
	return list
}

// times are those of requests, in ps, and how many keep the objectives.
type times struct {
	first, token, whole, transfer []int64
	end                           int64 // the latest
	kept                          int
}

// add adds a request, of which there are the given notes.
func (t *times) add(q *Request, o *Objectives, arrival int64, notes []int64) {
	first, end, token := notes[noteFirst]-arrival, notes[noteEnd]-arrival, int64(0)
	t.first, t.whole = append(t.first, first), append(t.whole, end)
	if q.Output > 1 {
		token = (end - first) / int64(q.Output-1)
		t.token = append(t.token, token)
		if notes[noteCache] > 0 {
			t.transfer = append(t.transfer, notes[noteCache]-notes[noteFirst])
		}
	}
	t.end = max(t.end, notes[noteEnd])
	if (o.FirstToken == 0 || first <= int64(o.FirstToken)) && (o.Token == 0 || token <= int64(o.Token)) {
		t.kept++
	}
}

// instances adds the figures of all instances, each with memory for so many tokens.
func (r *Result) instances(notes []int64, capacity int64, n int) {
	var requests, tokens, reserved, most int64
	for i := range n {
		of := notes[notesOfInstance*i:]
		r.Iterations += of[noteIterations]
		requests += of[noteRequests]
		tokens += of[noteTokens]
		reserved += of[noteReserved]
		r.Batch.MaxRequests = max(r.Batch.MaxRequests, of[noteMostRequests])
		most = max(most, of[noteMostReserved])
		r.Generated += of[noteMade]
	}
	iterations := float64(max(1, r.Iterations))
	r.Batch.MeanRequests, r.Batch.MeanTokens = float64(requests)/iterations, float64(tokens)/iterations
	r.Cache = CacheResult{capacity, float64(reserved) / iterations / float64(capacity), float64(most) / float64(capacity)}
}
