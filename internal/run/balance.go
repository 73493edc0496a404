package run

import (
	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/experiment"
)

// BalanceBy has routers moved between workers by what move returns for the network, in the place of
// what the experiment says: for tests.
func BalanceBy(move func(*fabric.Cells) engine.Balancer) Option {
	return func(s *settings) { s.move = move }
}

// balances reports whether routers move between the workers of a run.
func (s *settings) balances(e *experiment.Resolved) bool {
	return (e.Engine.Balances() || s.move != nil) && s.allBlocks() > 1 && s.unbalanced(e) == ""
}

// unbalanced returns why routers cannot move between the workers of a run; "" if they can.
func (s *settings) unbalanced(e *experiment.Resolved) string {
	what := s.recording(e)
	for _, x := range []struct {
		found  bool
		reason string
	}{
		{e.Network.Abstract(), "the network has no packets"},
		{s.recorded() && what.Given(), "the run records while it goes on (record:)"},
		{s.hottest > 0, "links are watched (--watch)"},
		{s.checkpoints != nil || s.from != nil, "checkpoints keep the division into blocks"},
	} {
		if x.found {
			return x.reason
		}
	}
	return ""
}

// tellOfBalance warns if the experiment wants routers to move between workers, and they cannot.
func (s *settings) tellOfBalance(e *experiment.Resolved) {
	if !e.Engine.Balances() || s.note == nil {
		return
	}
	if reason := s.unbalanced(e); reason != "" {
		s.note("engine.balance: routers stay with their workers, because " + reason)
	}
}

// balancer returns what moves routers between the blocks of a network; nil if nothing does.
func (s *settings) balancer(n *fabric.Network) engine.Balancer {
	if !n.Cells().Move() {
		return nil
	}
	if s.move != nil {
		return s.move(n.Cells())
	}
	return fabric.NewBalancer(n.Cells())
}

// balanced adds to a result how evenly workers shared the work, and how often routers moved; b is nil
// if they could not.
func (r *Result) balanced(n network, b engine.Balancer) {
	r.Balance = n.Balance()
	if b, ok := b.(*fabric.Balancer); ok {
		r.Moves = b.Moves()
	}
}
