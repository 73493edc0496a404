package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"fabricast/internal/panics"
	"fabricast/internal/plan"
	"fabricast/internal/random"
	"fabricast/internal/units"
)

// Limits of a search, so that its tables fit in memory.
const (
	mostHosts = 4096
	mostFlows = 1 << 22
	mostBytes = 1 << 36 // of one search
)

// Options of a search.
type Options struct {
	Seed  uint64
	Swaps int // swaps that are tried from each start
	// Progress is told the share of the swaps that have been tried, by one goroutine at a time; nil:
	// not called.
	Progress func(share float64)
}

// InterruptedError reports that the context ended a search, or the runs of what it found.
type InterruptedError struct {
	Run, Mappings int // how many of the mappings were run; 0 of 0: the search had not ended
	Err           error
}

func (e *InterruptedError) Error() string {
	if e.Mappings == 0 {
		return "interrupted while mappings were searched; none was run"
	}
	return fmt.Sprintf("interrupted, %d of %d mappings run", e.Run, e.Mappings)
}

// Unwrap returns the context's error.
func (e *InterruptedError) Unwrap() error { return e.Err }

// Found is a mapping that a search found.
type Found struct {
	Start string  // from which mapping
	Hosts []int32 // by rank
	Cost  Cost
}

// Search finds mappings with less load than the plan's own, the best first; the last one is the
// plan's own. Its result depends on the options only. kind says how routes are known. If the context
// ends, the error is an *InterruptedError.
func Search(
	ctx context.Context, p *plan.Plan, flows []Flow, o Options,
) (list []Found, kind string, err error) {
	problem, kind, err := newProblem(p, flows)
	if err != nil {
		return nil, "", err
	}
	starts := problem.starts()
	results := make([][]Found, len(starts))
	errs := make([]error, len(starts))
	passed := newCounter(len(starts)*(o.Swaps+o.Swaps/8), o.Progress)
	var all sync.WaitGroup
	for i, s := range starts {
		all.Go(panics.Guarded("search for mappings", func() {
			results[i], errs[i] = problem.from(ctx, newRoutes(&p.Fabric), s, o, uint64(i), passed)
		}))
	}
	all.Wait()
	if err := cmp.Or(errs...); err != nil {
		if errors.Is(err, ctx.Err()) {
			err = &InterruptedError{Err: err}
		}
		return nil, "", err
	}
	own := results[0][0]
	list = slices.Concat(results...)
	slices.SortStableFunc(list, func(a, b Found) int {
		switch {
		case a.Cost.less(b.Cost):
			return -1
		case b.Cost.less(a.Cost):
			return 1
		}
		return 0
	})
	list = slices.CompactFunc(list, func(a, b Found) bool { return slices.Equal(a.Hosts, b.Hosts) })
	list = slices.DeleteFunc(list, func(f Found) bool { return slices.Equal(f.Hosts, own.Hosts) })
	return append(list, own), kind, nil
}

func newProblem(p *plan.Plan, flows []Flow) (*problem, string, error) {
	q := &problem{ranks: len(p.Hosts), flows: flows, touches: make([][]int32, len(p.Hosts))}
	q.hosts = slices.Compact(slices.Sorted(slices.Values(p.Hosts)))
	if n := len(q.hosts); n > mostHosts || len(flows) > mostFlows {
		return nil, "", fmt.Errorf("found %d hosts and %d pairs of ranks that exchange messages, "+
			"expected at most %d and %d", n, len(flows), mostHosts, mostFlows)
	}
	sum := int64(0)
	for i, f := range flows {
		sum += f.Bytes
		q.touches[f.From] = append(q.touches[f.From], int32(i))
		q.touches[f.To] = append(q.touches[f.To], int32(i))
	}
	if sum > mostBytes {
		return nil, "", tooMany(sum, mostBytes)
	}
	for _, h := range p.Hosts {
		i, _ := slices.BinarySearch(q.hosts, h)
		q.slots = append(q.slots, int32(i))
	}
	r := newRoutes(&p.Fabric)
	q.perByte = r.perByte()
	farthest := int64(whole)
	q.dist = make([]int64, len(q.hosts)*len(q.hosts))
	for a, from := range q.hosts {
		for b, to := range q.hosts {
			d, err := r.hops(from, to)
			if err != nil {
				return nil, "", err
			}
			q.dist[a*len(q.hosts)+b] = d
			farthest = max(farthest, d)
		}
	}
	if limit := math.MaxInt64 / farthest; sum > limit { // hop-bytes must not overflow
		return nil, "", tooMany(sum, limit)
	}
	return q, r.kind, nil
}

func tooMany(bytes, limit int64) error {
	return fmt.Errorf("found messages of %d bytes in all, expected at most %d", bytes, limit)
}

// climber is one search.
type climber struct {
	*state
	seed, drawn uint64
	best        Cost
	bestAt      []int32
	passed      *counter
}

func (c *climber) draw(n int) int {
	c.drawn++
	return int(random.Below(c.seed, c.drawn, uint64(n)))
}

// from searches from one start. It returns the start, and the best mapping found.
func (p *problem) from(
	ctx context.Context, r *routes, s start, o Options, number uint64, passed *counter,
) ([]Found, error) {
	seed := random.Scramble(random.Scramble(o.Seed+0x706c6163) + number)
	c := &climber{state: newState(p, r, s.at), seed: seed, passed: passed}
	begin := p.found(s, c.at, c.cost())
	c.best, c.bestAt = c.cost(), slices.Clone(c.at)
	if c.err == nil && len(p.hosts) > 1 {
		c.shorten(ctx, o.Swaps)
	}
	near := p.found(s, c.at, c.cost())
	if c.err == nil && len(p.hosts) > 1 {
		c.relieve(ctx, o.Swaps/8)
	}
	if err := cmp.Or(c.err, ctx.Err()); err != nil {
		return nil, err
	}
	return []Found{begin, p.found(s, c.bestAt, c.best), near}, nil
}

func (p *problem) found(s start, at []int32, cost Cost) Found {
	f := Found{Start: s.name, Cost: cost, Hosts: make([]int32, len(at))}
	for r, h := range at {
		f.Hosts[r] = p.hosts[h]
	}
	return f
}

// stopEvery is the number of swaps between two looks at the context.
const stopEvery = 1 << 10

// stopped counts the next swaps, and reports whether the search is to end before them.
func (c *climber) stopped(ctx context.Context) bool {
	c.passed.add(stopEvery)
	return ctx.Err() != nil
}

// shorten makes the hop-bytes small. It takes swaps that make them grow by less than a threshold,
// which falls to 0 by half of the swaps (threshold accepting, Dueck and Scheuer 1990); so it needs
// no fractions, whose rounding differs between processors.
func (c *climber) shorten(ctx context.Context, swaps int) {
	high := c.hopBytes / int64(max(1, c.ranks)) / 2
	for i := range swaps {
		if i%stopEvery == 0 && c.stopped(ctx) {
			return
		}
		a, b := c.draw(c.ranks), c.draw(c.ranks)
		if c.at[a] == c.at[b] {
			continue
		}
		limit := units.MulDiv(high, int64(max(0, swaps-2*i)), int64(swaps))
		if g := c.growth(a, b); g <= limit {
			c.at[a], c.at[b] = c.at[b], c.at[a]
			c.hopBytes += g
		}
	}
	c.fill()
	c.keep()
}

// relieve swaps ranks whose flows pass the busiest link, from the best mapping so far, as long as
// the cost falls.
func (c *climber) relieve(ctx context.Context, swaps int) {
	copy(c.at, c.bestAt)
	c.fill()
	suspects := c.suspects()
	for i := range swaps {
		if i%stopEvery == 0 && c.stopped(ctx) || len(suspects) == 0 || c.err != nil {
			return
		}
		a, b := int(suspects[c.draw(len(suspects))]), c.draw(c.ranks)
		if c.at[a] == c.at[b] {
			continue
		}
		c.swap(a, b)
		if c.cost().less(c.best) {
			c.keep()
			suspects = c.suspects()
		} else {
			c.swap(a, b)
		}
	}
}

// keep keeps the mapping if it is the best so far.
func (c *climber) keep() {
	if cost := c.cost(); cost.less(c.best) {
		c.best, c.bestAt = cost, slices.Clone(c.at)
	}
}

// suspects returns the ranks whose flows pass a link that is as busy as the busiest.
func (c *climber) suspects() (list []int32) {
	for i := range c.flows {
		f := &c.flows[i]
		a, b := c.at[f.From], c.at[f.To]
		if a == b {
			continue
		}
		parts, err := c.routes.between(c.hosts[a], c.hosts[b])
		if err != nil {
			c.err = err
		}
		if slices.ContainsFunc(parts, func(p part) bool {
			return float64(c.load[p.link])*c.perByte[p.link] == c.busiest
		}) {
			list = append(list, f.From, f.To)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
