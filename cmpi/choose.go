package cmpi

import (
	"fmt"
	"strings"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/collective/tables"
)

// choose returns the algorithm for a collective; bytes is as in collective.Call.
func (s *strand) choose(k collective.Kind, bytes int64) collective.Algorithm {
	return s.program.choose(s.call, k, bytes)
}

// choose returns the algorithm that the rank uses for a call.
func (p *program) choose(c *host.Call, k collective.Kind, bytes int64) collective.Algorithm {
	call := tables.Call{
		Ranks: int(c.Size), Bytes: bytes, Ordered: c.Commutative == 0, Elem: int(c.Elem),
		Layout: func() *collective.Layout { return p.layout(c) },
	}
	job := p.block.job
	if job.sites != nil {
		call.Site = job.sites.At(c.Site)
	}
	if p.table != nil {
		return p.table.Choose(k, call)
	}
	return job.table.Choose(k, call)
}

// prefer makes the rank use an algorithm for a collective from now on, as in "alltoall=bruck".
// Without an algorithm the rank uses the job's table again.
func (p *program) prefer(text string) error {
	kind, algorithm, _ := strings.Cut(text, "=")
	if algorithm == "" && len(collective.Algorithms(collective.Kind(kind))) > 0 {
		p.table = nil
		return nil
	}
	t := p.table
	if t == nil {
		t = p.block.job.table
	}
	t, err := t.Before(collective.Kind(kind), collective.Algorithm(algorithm))
	if err != nil {
		return fmt.Errorf("%s: %w", host.Text(p.rank.Name), err)
	}
	p.table = t
	return nil
}
