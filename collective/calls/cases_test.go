package calls_test

import (
	"bytes"
	"fmt"

	"fabricast/collective"
	"fabricast/node"
)

// Case is one algorithm on a number of ranks, for tests on a simulated network.
type Case struct {
	Name    string
	Ranks   int
	Needs   collective.Need
	Program func(c collective.Comm) // what each rank runs
	Check   func() error            // what came of it
}

// Cases lists every algorithm that moves data, on the numbers of ranks that it accepts.
func Cases() (list []Case) {
	for _, s := range scenes {
		for _, info := range collective.OfRanks(s.kind) {
			for _, p := range awkward {
				if collective.Check(s.kind, info.Name, p) == nil {
					list = append(list, s.prepare(info.Name, p))
				}
			}
		}
	}
	return list
}

func (s scene) prepare(a collective.Algorithm, p int) Case {
	const block = 16
	root := p / 3
	in := inputs(p, s.sendN(p, block))
	out := make([][]byte, p)
	for r := range out {
		out[r] = make([]byte, s.recvN(p, block))
	}
	return Case{
		Name: fmt.Sprintf("%s/%s/%d", s.kind, a, p), Ranks: p, Needs: collective.InfoOf(s.kind, a).Needs,
		Program: func(c collective.Comm) {
			s.call(c, a, node.Data(in[c.Rank()]), node.Data(out[c.Rank()]), root, collective.SumInt64)
		},
		Check: func() error {
			for r := range out {
				want := s.want(in, r, block, root, collective.SumInt64)
				if want != nil && (!s.rooted || r == root) && !bytes.Equal(out[r], want) {
					return fmt.Errorf("rank %d: got %x, want %x", r, out[r], want)
				}
			}
			return nil
		},
	}
}
