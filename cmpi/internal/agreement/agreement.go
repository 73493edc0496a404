// Package agreement checks that all ranks of a communicator call the same collectives in the same
// order, with the same root, number of bytes and operation, and with matching datatypes.
package agreement

import (
	"sync"

	"fabricast/cmpi/internal/datatypes"
	"fabricast/cmpi/internal/host"
)

// Agreement holds what ranks have called. It forgets turns in which all ranks have called and agree.
// It is safe for concurrent use.
type Agreement struct {
	typed  bool // datatypes are compared
	others Others
	mutex  sync.Mutex
	open   map[turn]*attendance
	// the latest turns used, one with an even and one with an odd number: ranks are rarely more
	// than one turn apart
	latest [2]struct {
		turn
		all *attendance
	}
	spare []*attendance // forgotten ones, for reuse
}

// New returns an agreement. typed says whether datatypes are compared.
func New(typed bool) *Agreement { return &Agreement{typed: typed, open: map[turn]*attendance{}} }

// Caller is a rank whose calls are compared with those of others.
type Caller struct{ turns []turn }

// turn counts a collective that the rank calls on a communicator, and returns its turn.
func (c *Caller) turn(context int32) turn {
	for i := range c.turns {
		if c.turns[i].context == context {
			c.turns[i].nth++
			return c.turns[i]
		}
	}
	c.turns = append(c.turns, turn{context, 1})
	return turn{context, 1}
}

// Call records that a rank begins a collective by the function of a name. Those that transfer no data
// are left out. The two groups of an intercommunicator are checked separately.
func (a *Agreement) Call(by *Caller, rank int, name *byte, c *host.Call) {
	switch c.What {
	case host.Split, host.Window, host.Duplicate, host.Ordered:
		return
	}
	mine := part{
		rank:       rank,
		what:       c.What,
		root:       c.Root,
		background: c.Sequence != 0,
		name:       name,
		data:       shareOf(c),
	}
	if c.Remote != nil { // there ranks of a group name roots in other ways
		mine.root = 0
	}
	here := c.Size
	if a.others != nil {
		here = a.others.Here(c)
	}
	t := by.turn(c.Context)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	all := a.attendance(t)
	all.size = c.Size
	all.add(&mine)
	if a.typed && mine.data.bytes > 0 {
		all.types.add(rank, datatypes.Signature(c.Signature), mine.data.bytes)
		all.types.add(rank, datatypes.Signature(c.Taken), mine.data.bytes)
	}
	a.settle(t, all)
	if all.came == here && here < c.Size {
		a.pass(t, all)
	}
}

// attendance returns the record of a turn, a new one for the first rank that calls.
func (a *Agreement) attendance(t turn) *attendance {
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
func (a *Agreement) forget(t turn, all *attendance) {
	delete(a.open, t)
	a.latest[t.nth&1].all = nil
	a.spare = append(a.spare, all)
}

// settle forgets a turn in which all ranks have called and agree. REQUIRES: the lock.
func (a *Agreement) settle(t turn, all *attendance) {
	if all.came == all.size && !all.differ && !all.types.differ {
		a.forget(t, all)
	}
}
