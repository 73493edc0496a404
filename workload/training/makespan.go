package training

// timeline is a stage of a step that is played without a network: communication takes the time that
// a function says, without contention.
type timeline struct {
	*script
	now     int64
	next    int     // pass
	arrived []int64 // times at which all exchanges in progress are over
	signals []int64
	lanes   [lanes]int64 // times at which their collectives are over
	beside  struct {
		next, seen int // operations, and signals
		now        int64
	}
}

// play returns the time of a step in ps, from the start to the end of the last stage, and the mean
// time that stages compute. cost is the time of a communication.
func play(scripts []*script, cost func(o *op) int64, sent int64) (makespan, computed int64) {
	stages := make([]timeline, len(scripts))
	type lane struct{ stage, tag int32 }
	messages := map[lane][]int64{} // times of arrival of messages that have not been received
	for i, s := range scripts {
		stages[i].script = s
	}
	for more := true; more; {
		more = false
		for i := range stages {
			t := &stages[i]
			for t.next < len(t.passes) {
				p := &t.passes[t.next]
				if p.from != nobody {
					in := lane{int32(i), p.in}
					if len(messages[in]) == 0 {
						break
					}
					t.now = max(t.now, messages[in][0])
					messages[in] = messages[in][1:]
				}
				computed += t.pass(t.bodies[p.body], cost)
				if p.to != nobody {
					out := lane{p.to, p.out}
					messages[out] = append(messages[out], t.now+sent)
				}
				t.next++
				more = true
			}
			makespan = max(makespan, t.now)
		}
	}
	return makespan, computed / int64(len(scripts))
}

// pass plays a pass, and returns the time of its computations.
func (t *timeline) pass(b body, cost func(o *op) int64) (computed int64) {
	for i := range b {
		switch o := &b[i]; o.action {
		case compute:
			n := t.mean(o)
			t.now += n
			computed += n
		case communicate:
			t.now += cost(o)
		case exchange:
			t.arrived = append(t.arrived, t.now+cost(o))
		case awaitExchange:
			for _, at := range t.arrived {
				t.now = max(t.now, at)
			}
			t.arrived = t.arrived[:0]
		case signal:
			t.signals = append(t.signals, t.now)
		case begin:
			t.lanes[o.lane] = t.now + cost(o)
		case finish:
			t.now = max(t.now, t.lanes[o.lane])
		case await:
			t.now = max(t.now, t.marked(cost))
		}
	}
	return computed
}

// marked returns when the second stream comes to its next mark.
func (t *timeline) marked(cost func(o *op) int64) int64 {
	b := &t.beside
	for {
		o := &t.script.beside[b.next]
		b.next++
		switch o.action {
		case expect:
			b.now = max(b.now, t.signals[b.seen])
			b.seen++
		case communicate:
			b.now += cost(o)
		case mark:
			return b.now
		}
	}
}

// Bubble returns the time (ps) by which a step of a resolved job is longer than the mean
// computation of its stages if communication takes no time.
func (j *Job) Bubble() int64 {
	makespan, computed := play(j.scripts(), func(*op) int64 { return 0 }, 0)
	return makespan - computed
}
