package timewarp

import (
	"fmt"
	"math"
	"sort"
	"time"

	"fabricast/engine"
	"fabricast/internal/snapshot"
)

// kp is a part with what is needed to undo it: the windows that it has executed, states saved
// between them, and what it has received and sent.
type kp struct {
	part   Part
	number int
	worker *worker
	until  int64 // windows from this one on are not executed

	in  []*channel // from all other parts, in the order of their numbers
	out []*channel // to them

	// The windows executed since the oldest saved state. Runs are numbered from the begin of the
	// simulation; runs[0] has the number firstRun.
	runs     []executed
	firstRun int
	begin    executed // what had been executed before the run
	saves    []saved  // by their runs
	spare    []*snapshot.Snapshot

	stale bool  // the part's state is a later one than that after the last of runs
	bound int64 // if stale: it does nothing before this window, but for what it has not received
	// what broke a window that may yet be undone, and that window; nil if none did
	fault *engine.Fault
	torn  int64
	// why the run ends, whatever is undone: a window came out differently when it was repeated
	wrong *engine.Fault

	due   int64 // window that it executes next; see look
	costs costs
	chunk []byte // room for what is sent
	tally Cost
}

// executed is a window that a part has executed.
type executed struct {
	window        int64
	work, packets uint64 // of the part after it
}

// saved is the state of a part before a run.
type saved struct {
	run   int
	state *snapshot.Snapshot
}

// end is the number of the next run.
func (k *kp) end() int { return k.firstRun + len(k.runs) }

// done is the last window executed; -1 before the first.
func (k *kp) done() int64 {
	if len(k.runs) == 0 {
		return -1
	}
	return k.runs[len(k.runs)-1].window
}

// reached is the last window that something can come too late for.
func (k *kp) reached() int64 {
	if k.fault != nil {
		return k.torn
	}
	return k.done()
}

// runAt returns the number of the first run of a window or a later one.
func (k *kp) runAt(window int64) int {
	return k.firstRun + sort.Search(len(k.runs), func(i int) bool { return k.runs[i].window >= window })
}

// waiting returns the first window in which something has an effect that has come and has not been
// received.
func (k *kp) waiting() int64 {
	first := int64(math.MaxInt64)
	for _, c := range k.in {
		first = min(first, c.waiting())
	}
	return first
}

// look finds out which window is next.
func (k *kp) look() {
	k.due = k.waiting()
	switch {
	case k.fault != nil:
		k.due = min(k.due, k.torn)
	case k.stale:
		k.due = min(k.due, k.bound)
	default:
		k.due = min(k.due, k.part.Next())
	}
	if k.due >= k.until {
		k.due = math.MaxInt64
	}
}

// horizon returns the first window in which the part may still do, or take back, something.
func (k *kp) horizon() int64 { return min(k.due, k.doubtful()) }

// doubtful returns the first window of which something is in doubt that the part has sent.
func (k *kp) doubtful() int64 {
	first := int64(math.MaxInt64)
	for _, c := range k.out {
		if m := c.doubtful(); m != nil {
			first = min(first, m.sent)
		}
	}
	return first
}

// undo takes back the runs from the given number on. What they have sent is in doubt. The state
// is restored when the part is next used.
func (k *kp) undo(run int) {
	if run >= k.end() && k.fault == nil {
		return
	}
	for _, c := range k.in {
		c.untake(run)
	}
	if k.fault != nil { // its state is of no use
		k.fault, k.stale, k.bound = nil, true, k.torn
	}
	if run >= k.end() {
		return
	}
	undone := k.runs[run-k.firstRun:]
	k.bound, k.stale = undone[0].window, true
	before := k.before(run)
	k.tally.Rollbacks++
	k.tally.RolledBack += uint64(len(undone))
	k.tally.RolledBackPackets += undone[len(undone)-1].packets - before.packets
	k.costs.undo(k.cost(k.end()) - k.cost(run))
	for _, c := range k.out {
		c.doubt(k.bound)
	}
	k.runs = k.runs[:run-k.firstRun]
	for k.saves[len(k.saves)-1].run > run {
		k.drop(len(k.saves) - 1)
	}
	k.costs.saved = k.cost(k.saves[len(k.saves)-1].run)
}

// before returns what had been executed before a run. Work done before the oldest saved state
// counts from there.
func (k *kp) before(run int) executed {
	if run == k.firstRun {
		return k.costs.oldest
	}
	return k.runs[run-k.firstRun-1]
}

// cost is that of the windows before a run.
func (k *kp) cost(run int) float64 {
	return float64(k.before(run).work) + activationsOfWindow*float64(run)
}

// drop gives back a saved state.
func (k *kp) drop(i int) {
	k.spare = append(k.spare, k.saves[i].state)
	k.saves = append(k.saves[:i], k.saves[i+1:]...)
}

// save saves the part's state.
func (k *kp) save() {
	begin := time.Now()
	var s *snapshot.Snapshot
	if n := len(k.spare); n > 0 {
		s, k.spare = k.spare[n-1], k.spare[:n-1]
	} else {
		s = new(snapshot.Snapshot)
	}
	s.Save(k.part.State)
	k.saves = append(k.saves, saved{k.end(), s})
	k.thin()
	k.tally.Saves++
	k.tally.SavedBytes += uint64(s.Size())
	k.costs.save(s.Size(), k.cost(k.end()))
	held := int64(0) // bytes
	for i := range k.saves {
		held += int64(k.saves[i].state.Size())
	}
	for _, x := range k.spare {
		held += int64(x.Size())
	}
	k.tally.SaveMemory = max(k.tally.SaveMemory, held)
	k.worker.cost.saving += int64(time.Since(begin))
}

// MostStates is how many states of a part a run holds at most at once.
const MostStates = mostSaves + mostSpare

// Most states of a part that are saved, and that wait to be used again.
const (
	mostSaves = 8
	mostSpare = 2
)

// thin drops every other saved state, but for the oldest and the newest, if there are too many.
func (k *kp) thin() {
	if len(k.saves) <= mostSaves {
		return
	}
	for i := len(k.saves) - 2; i > 0; i -= 2 {
		k.drop(i)
	}
	k.spare = k.spare[:min(len(k.spare), mostSpare)]
}

// refresh makes the state that after the last run again, if the part is stale: it restores the
// newest saved state and repeats the runs since.
func (k *kp) refresh() {
	if !k.stale {
		return
	}
	s := &k.saves[len(k.saves)-1]
	k.goBack(s)
	k.stale = false
	if coasted := k.end() - s.run; coasted > 0 {
		k.tally.Coasted += uint64(coasted)
		if k.costs.due(k.cost(k.end())) {
			k.save()
		}
	}
}

// goBack restores a saved state and repeats the runs since.
func (k *kp) goBack(s *saved) {
	begin := time.Now()
	s.state.Restore(k.part.State)
	for _, c := range k.in {
		c.rewind(s.run)
	}
	for run := s.run; run < k.end(); run++ {
		k.again(run)
	}
	k.worker.cost.again += int64(time.Since(begin))
}

// again repeats a run, of which all has been sent.
func (k *kp) again(run int) {
	for _, c := range k.in {
		for c.taken < len(c.mails) && c.mails[c.taken].at == run {
			k.part.Receive(c.sender, c.mails[c.taken].data)
			c.taken++
		}
	}
	before := k.runs[run-k.firstRun]
	k.run(before.window, run)
	if k.did(before.window) != before {
		panic(&repeatError{k.number, before.window})
	}
}

// run has the part run a window.
func (k *kp) run(window int64, run int) { k.part.Run(window, uint64(run)+1) }

// did returns what the part has done up to the end of a window.
func (k *kp) did(window int64) executed { return executed{window, k.part.Work(), k.part.Packets()} }

// repeatError says that a window came out differently when it was repeated. Not all of the part's state is
// saved, or restored.
type repeatError struct {
	part   int
	window int64
}

// Error implements error.
func (e *repeatError) Error() string {
	return fmt.Sprintf("part %d: window %d is another one when it is repeated", e.part, e.window)
}

// step executes the next window, which look has found. A panic breaks the part until the window is
// undone.
func (k *kp) step(check bool) {
	window := k.due
	defer func() {
		if v := recover(); v != nil {
			k.fault, k.torn = engine.Caught(v), window
			if _, ok := v.(*repeatError); ok {
				k.wrong = k.fault
			}
			k.look()
		}
	}()
	k.refresh()
	if k.look(); k.due != window || !k.worker.settle(k, window) {
		return // a bound was not exact, or what comes before has changed
	}
	if k.mayBeUndone(window) && (len(k.saves) == 0 || k.costs.due(k.cost(k.end()))) {
		k.save()
	}
	k.receive(window)
	if check {
		k.twice(window)
	} else {
		k.run(window, k.end())
	}
	before := k.cost(k.end())
	k.runs = append(k.runs, k.did(window))
	k.costs.spent += k.cost(k.end()) - before
	k.worker.send(k, window)
	k.look()
}

// mayBeUndone reports whether something can come too late for a window: not in the window of GVT, and
// not if one worker executes all windows in order.
func (k *kp) mayBeUndone(window int64) bool {
	c := k.worker.crew
	return window > c.gvt && !c.alone
}

// receive takes in what was sent in windows before the given one.
func (k *kp) receive(window int64) {
	for _, c := range k.in {
		for c.taken < len(c.mails) && c.mails[c.taken].sent < window {
			m := &c.mails[c.taken]
			m.at = k.end()
			c.taken++
			k.part.Receive(c.sender, m.data)
		}
	}
}

// keep copies what has been sent to where it does not change.
func (k *kp) keep(data []byte) []byte {
	const room = 32 << 10
	if len(data) > cap(k.chunk)-len(k.chunk) {
		k.chunk = make([]byte, 0, max(room, len(data)))
	}
	n := len(k.chunk)
	k.chunk = append(k.chunk, data...)
	return k.chunk[n:len(k.chunk):len(k.chunk)]
}

// commit forgets what is not needed to undo windows from the given one on.
func (k *kp) commit(window int64) {
	run := k.runAt(window) // the first that may be undone
	if run == k.end() && !k.stale && k.fault == nil && k.worker.crew.batch.cautious() {
		for len(k.saves) > 0 {
			k.drop(0)
		}
		k.spare = k.spare[:min(len(k.spare), mostSpare)]
	}
	if len(k.saves) == 0 {
		k.forget(run)
		return
	}
	n := 0
	for n+1 < len(k.saves) && k.saves[n+1].run <= run {
		n++
	}
	if n > 0 {
		for range n {
			k.drop(0)
		}
		k.forget(k.saves[0].run)
	}
	k.spare = k.spare[:min(len(k.spare), mostSpare)]
}

// forget removes the runs before the given one.
func (k *kp) forget(run int) {
	k.costs.oldest = k.before(run)
	k.runs = append(k.runs[:0], k.runs[run-k.firstRun:]...)
	k.firstRun = run
}
