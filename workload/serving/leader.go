package serving

import (
	"slices"

	"fabricast/internal/snapshot"
	"fabricast/node"
)

// held is a request that holds, or waits for, memory of a tensor group.
type held struct {
	Request, Group int32
	Left           int32 // ranks whose keys and values have not arrived
}

// leader is what the first rank of an instance keeps of it. Requests are admitted in order, with
// memory for all of their tokens, so that none has to give it back.
type leader struct {
	leading
	reserved []int64 // by tensor group: tokens of the cache that are taken
	slots    []int32 // by tensor group: requests
	holds    []held  // requests that have memory
	waiting  []held  // for tokens: requests that wait for memory; the group is that of the prompt
	coming   []held  // for tokens: requests whose keys and values are on the way
	here     []held  // for tokens: requests whose keys and values have arrived
}

// leading is the part of leader that is of fixed size.
type leading struct {
	base       int64 // ps: when the rank has started
	next       int32 // requests of the instance that have been admitted for their prompts
	unready    int32 // for tokens: requests whose first token is not there
	ungot      int32 // for tokens: letters about keys and values that will come
	unreleased int32 // for prompts: requests whose keys and values have not been fetched
	alarm      bool  // a timer runs until the next arrival
	figures
}

// figures are sums over the iterations of an instance.
type figures struct {
	Iterations, Requests, Tokens int64
	MostRequests                 int64
	Reserved, MostReserved       int64 // tokens of the cache, of all groups
	Made                         int64 // tokens that have been generated
}

// State saves or restores what a leader keeps.
func (l *leader) State(v *snapshot.Visitor) {
	snapshot.Value(v, &l.leading)
	snapshot.List(v, &l.reserved)
	snapshot.List(v, &l.slots)
	for _, list := range []*[]held{&l.holds, &l.waiting, &l.coming, &l.here} {
		snapshot.List(v, list)
	}
}

// room returns the group with most memory left if it has so many tokens, and no more requests than
// are allowed; -1 if there is none.
func (r *rank) room(tokens int64) int {
	best := -1
	for g, n := range r.leader.reserved {
		fits := n+tokens <= r.capacity && int(r.leader.slots[g]) < r.job.Batching.Requests
		if fits && (best < 0 || n < r.leader.reserved[best]) {
			best = g
		}
	}
	return best
}

// hold gives a request memory.
func (l *leader) hold(request int32, group int, tokens int64) {
	l.reserved[group] += tokens
	l.slots[group]++
	l.holds = append(l.holds, held{Request: request, Group: int32(group)})
}

// free takes the memory of a request back.
func (l *leader) free(request int32, tokens int64) {
	i := slices.IndexFunc(l.holds, func(h held) bool { return h.Request == request })
	group := l.holds[i].Group
	l.reserved[group] -= tokens
	l.slots[group]--
	l.holds = slices.Delete(l.holds, i, i+1)
}

// memoryOf returns the tokens of the cache that a request takes in the rank's instance.
func (r *rank) memoryOf(request int32) int64 {
	q := &r.requests[request]
	if r.pooled() && !r.decodes(r.instance()) {
		return blocks(int64(q.Prompt))
	}
	return blocks(q.tokens())
}

// arrival returns the next request of the instance that has not been admitted; -1 after the last one.
func (r *rank) arrival() int {
	step, first := r.instances, r.instance()
	if r.pooled() {
		step = r.prefill
	}
	if i := first + int(r.leader.next)*step; i < len(r.requests) {
		return i
	}
	return -1
}

// unheard returns the number of requests that an instance for tokens will hear of.
func (p *program) unheard(instance int) (n int32) {
	for i := instance - p.prefill; i < len(p.requests); i += p.decode {
		if p.requests[i].Output > 1 {
			n++
		}
	}
	return n
}

// introduce notes the start of an instance.
func (r *rank) introduce(ops *node.Ops) {
	r.introduced, r.leader.base = true, ops.Now()
	if r.leads() && r.decodes(r.instance()) {
		r.leader.unready = r.unheard(r.instance())
	}
}

// decide begins an iteration, ends the instance, or sets an alarm for the next arrival. It reports
// whether it has begun or ended something.
func (r *rank) decide(ops *node.Ops) bool {
	l := &r.leader
	next := r.admit(ops)
	switch {
	case len(r.running) > 0:
		r.tell(ops, goOn, 0, 0)
		f := &l.figures
		n := int64(len(r.running))
		f.Iterations++
		f.Requests += n
		f.MostRequests = max(f.MostRequests, n)
		reserved := int64(0)
		for _, n := range l.reserved {
			reserved += n
		}
		f.Reserved += reserved
		f.MostReserved = max(f.MostReserved, reserved)
	case next < 0 && l.unready+l.unreleased == 0 && len(l.holds)+len(l.waiting) == 0:
		r.sumUp(ops)
		r.tell(ops, stop, 0, 0)
	default:
		if d := r.wait(ops, next); d > 0 && !l.alarm {
			ops.Watch(ops.Timer(d), wordAlarm)
			l.alarm = true
		}
		return false
	}
	return true
}

// wait returns the time until a request arrives, in ps; 0 or less if it has, or if there is none.
func (r *rank) wait(ops *node.Ops, request int) int64 {
	if request < 0 {
		return 0
	}
	return r.leader.base + r.requests[request].At - ops.Now()
}

// admit admits requests, and returns the next one that arrives at the instance and has not been
// admitted; -1 after the last one.
func (r *rank) admit(ops *node.Ops) (next int) {
	l := &r.leader
	if r.decodes(r.instance()) {
		for _, h := range l.here {
			r.tell(ops, take, int(h.Request), int(h.Group))
		}
		l.here = l.here[:0]
		return -1
	}
	for {
		i := r.arrival()
		if i < 0 || r.wait(ops, i) > 0 {
			return i
		}
		tokens := r.memoryOf(int32(i))
		g := r.room(tokens)
		if g < 0 {
			return i
		}
		l.next++
		l.hold(int32(i), g, tokens)
		r.tell(ops, take, i, g)
	}
}

// fetch has the keys and values of waiting requests sent, in order, as far as there is memory.
func (r *rank) fetch(ops *node.Ops) {
	l := &r.leader
	for len(l.waiting) > 0 {
		w := l.waiting[0]
		tokens := r.memoryOf(w.Request)
		g := r.room(tokens)
		if g < 0 {
			return
		}
		l.waiting = slices.Delete(l.waiting, 0, 1)
		l.hold(w.Request, g, tokens)
		l.coming = append(l.coming, held{w.Request, int32(g), int32(r.tensor)})
		request := int(w.Request)
		for place := range r.tensor {
			own := r.rankOf(r.instance(), g, place)
			if own != r.id {
				l.ungot++
			}
			r.write(ops, own, expect, request, int(w.Group))
			r.write(ops, r.rankOf(r.prompter(request), int(w.Group), place), pull, request, g)
		}
	}
}

// landed notes that a rank has the keys and values of a request.
func (r *rank) landed(ops *node.Ops, request int) {
	l := &r.leader
	i := slices.IndexFunc(l.coming, func(h held) bool { return int(h.Request) == request })
	if l.coming[i].Left--; l.coming[i].Left > 0 {
		return
	}
	l.here = append(l.here, l.coming[i])
	l.coming = slices.Delete(l.coming, i, i+1)
	ops.Note(r.key(request, noteCache), ops.Now())
	r.write(ops, r.rankOf(r.prompter(request), 0, 0), release, request, 0)
}

// progressed notes what an iteration has done for a sequence, by so many tokens.
func (r *rank) progressed(ops *node.Ops, q *sequence, tokens int64, first, over bool) {
	l, of, request := &r.leader, &r.requests[q.Request], int(q.Request)
	l.figures.Tokens += tokens
	if q.Done == of.Prompt {
		l.figures.Made++
	}
	if first {
		ops.Note(r.key(request, noteFirst), ops.Now())
	}
	switch {
	case !over:
	case q.Made < of.Output: // the rest is for another instance
		l.unreleased++
		r.write(ops, r.rankOf(r.speaker(request), 0, 0), ready, request, int(q.Group))
	default:
		ops.Note(r.key(request, noteEnd), ops.Now())
		l.free(q.Request, r.memoryOf(q.Request))
		if r.decodes(r.instance()) {
			r.fetch(ops)
		}
	}
}
