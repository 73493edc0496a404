package cmpi

import (
	"fmt"
	"sync"

	"fabricast/cmpi/internal/host"
)

// turn identifies a collective: number nth on a communicator, given by its context.
type turn struct{ context, nth int32 }

// part holds what one rank does when its turn comes: the call it makes and the call's data.
type part struct {
	rank       int
	what, root int32
	background bool
	name       *byte // name of the function that it called
	data       share
}

// agrees reports whether two ranks call the same collective in the same way. It does not compare
// datatypes.
func (a *part) agrees(b *part) bool {
	return a.what == b.what && a.root == b.root && a.background == b.background && a.data == b.data
}

// attendance records the ranks that have called a collective in one turn: the lowest rank, and the
// lowest rank that called something else. The result does not depend on the order in which ranks
// call.
type attendance struct {
	lowest, other part
	differ        bool
	came, size    int32 // ranks that have called, and of the communicator
	types         typePair
}

func (t *attendance) add(p *part) {
	t.came++
	switch {
	case t.came == 1:
		t.lowest = *p
	case p.rank < t.lowest.rank:
		if !p.agrees(&t.lowest) {
			t.other, t.differ = t.lowest, true
		}
		t.lowest = *p
	case !p.agrees(&t.lowest) && (!t.differ || p.rank < t.other.rank):
		t.other, t.differ = *p, true
	}
}

// agreement checks that all ranks of a communicator call the same collectives in the same order,
// with the same root, number of bytes and operation, and with matching datatypes. It forgets turns
// in which all ranks have called and agree.
type agreement struct {
	mutex sync.Mutex
	open  map[turn]*attendance
	// the latest turns used, one with an even and one with an odd number: ranks are rarely more
	// than one turn apart
	latest [2]struct {
		turn
		all *attendance
	}
	spare []*attendance // forgotten ones, for reuse
}

// attendance returns the record of a turn, a new one for the first rank that calls.
func (a *agreement) attendance(t turn) *attendance {
	latest := &a.latest[t.nth&1]
	if latest.turn == t && latest.all != nil {
		return latest.all
	}
	all := a.open[t]
	if all == nil {
		if n := len(a.spare); n > 0 {
			all, a.spare = a.spare[n-1], a.spare[:n-1]
			*all = attendance{}
		} else {
			all = &attendance{}
		}
		a.open[t] = all
	}
	latest.turn, latest.all = t, all
	return all
}

// forget removes a turn in which all ranks have called and agree.
func (a *agreement) forget(t turn, all *attendance) {
	delete(a.open, t)
	a.latest[t.nth&1].all = nil
	a.spare = append(a.spare, all)
}

// calls records that a rank begins a collective that transfers data. The two groups of an
// intercommunicator are checked separately.
func (p *program) calls(c *host.Call) {
	switch c.What {
	case host.Split, host.Window, host.Duplicate, host.Ordered:
		return
	}
	t := p.turn(c.Context)
	mine := part{
		rank:       p.id,
		what:       c.What,
		root:       c.Root,
		background: c.Sequence != 0,
		name:       p.rank.Name,
		data:       shareOf(c),
	}
	if c.Remote != nil { // there ranks of a group name roots in other ways
		mine.root = 0
	}
	job := p.block.job
	typed := mine.data.bytes > 0 && job.options.Types != TypesIgnored
	here := c.Size
	if job.abroad != nil {
		here = job.abroad.hereOf(c)
	}
	a := &job.agreement
	a.mutex.Lock()
	all := a.attendance(t)
	all.size = c.Size
	all.add(&mine)
	if typed {
		all.types.add(p.id, signature(c.Signature), mine.data.bytes)
		all.types.add(p.id, signature(c.Taken), mine.data.bytes)
	}
	a.settled(t, all)
	if all.came == here && here < c.Size {
		job.pass(t, all)
	}
	a.mutex.Unlock()
}

// turn counts a collective that the rank calls on a communicator, and returns its turn.
func (p *program) turn(context int32) turn {
	for i := range p.turns {
		if p.turns[i].context == context {
			p.turns[i].nth++
			return p.turns[i]
		}
	}
	p.turns = append(p.turns, turn{context, 1})
	return turn{context, 1}
}

// first returns the first turn for which differ returns true, of several the one with the lowest
// context; nil if there is none.
func (a *agreement) first(differ func(*attendance) bool) (first turn, found *attendance) {
	for t, all := range a.open {
		if differ(all) &&
			(found == nil || t.nth < first.nth || t.nth == first.nth && t.context < first.context) {
			first, found = t, all
		}
	}
	return first, found
}

// Mismatch returns an error if ranks of a communicator have called different collectives, or the
// same with different roots, lengths or operations; nil if they have not.
func (j *Job) Mismatch() error {
	t, found := j.agreement.first(func(a *attendance) bool { return a.differ })
	if found == nil {
		return nil
	}
	a, b := &found.lowest, &found.other
	text := fmt.Sprintf(
		"collectives do not match: rank %d called %s as number %d on a communicator",
		a.rank, host.Text(a.name), t.nth,
	)
	switch {
	case a.what != b.what || a.background != b.background:
		return fmt.Errorf("%s, rank %d called %s", text, b.rank, host.Text(b.name))
	case a.root != b.root:
		return fmt.Errorf("%s with root %d, rank %d with root %d", text, a.root, b.rank, b.root)
	case a.data.op != b.data.op:
		return fmt.Errorf(
			"%s with %s, rank %d with %s",
			text, host.OpName(a.data.op), b.rank, host.OpName(b.data.op),
		)
	case a.data.bytes != b.data.bytes:
		return fmt.Errorf("%s for %d bytes, rank %d for %d", text, a.data.bytes, b.rank, b.data.bytes)
	}
	return fmt.Errorf("%s with other counts than rank %d", text, b.rank)
}

// mismatchedTypes returns an error for the first collective in which ranks use datatypes that do
// not match; nil if there is none. It leaves out collectives that Mismatch reports.
func (j *Job) mismatchedTypes() error {
	t, found := j.agreement.first(func(a *attendance) bool { return a.types.differ && !a.differ })
	if found == nil {
		return nil
	}
	p := &found.types
	text := fmt.Sprintf(
		"%srank %d called %s as number %d on a communicator for %d bytes",
		typesDoNotMatch, p.rank, host.Text(found.lowest.name), t.nth, found.lowest.data.bytes,
	)
	if p.rank == p.other {
		return fmt.Errorf("%s, as %s and as %s", text, p.signature.describe(), p.otherSignature.describe())
	}
	return fmt.Errorf(
		"%s of %s, rank %d of %s",
		text, p.signature.describe(), p.other, p.otherSignature.describe(),
	)
}
