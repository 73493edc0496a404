package cmpi

import (
	"fmt"
	"strings"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
)

// table is what the options say of collectives.
func (o *Options) table() (*collective.Table, error) {
	t := o.Table
	if t == nil {
		t = collective.NamedTable("default")
	}
	for kind, algorithm := range o.Algorithms {
		if err := collective.Check(kind, algorithm, o.Ranks); err != nil {
			return nil, err
		}
		var err error
		if t, err = t.Before(kind, algorithm); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// choose is the algorithm for a collective of so many bytes, by collective.Call's count.
func (s *strand) choose(k collective.Kind, bytes int64) collective.Algorithm {
	return s.program.choose(s.call, k, bytes)
}

// choose is the algorithm that the rank runs a call by.
func (p *program) choose(c *host.Call, k collective.Kind, bytes int64) collective.Algorithm {
	call := collective.Call{Ranks: int(c.Size), Bytes: bytes, Ordered: c.Commutative == 0}
	job := p.block.job
	if job.sites != nil {
		call.Site = job.sites.at(c.Site)
	}
	if p.table != nil {
		return p.table.Choose(k, call)
	}
	return job.table.Choose(k, call)
}

// prefer has the rank run a collective by an algorithm from now on, as in "alltoall=bruck"; by the job's table
// again if there is no algorithm.
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
