package calls_test

import (
	"fmt"
	"testing"

	"fabricast/collective"
)

// NCCL's algorithms move the right data in several channels, loops and slices, by each protocol, on
// nodes of several ranks of which the last has fewer.
func TestChannelsMoveTheRightData(t *testing.T) {
	const block = 160008
	for _, s := range scenes {
		for _, name := range []collective.Algorithm{collective.NCCLRing, collective.NCCLTree, collective.NCCLSends} {
			if collective.InfoOf(s.kind, name) == nil {
				continue
			}
			for _, protocol := range []string{"ll", "ll128", "simple"} {
				a := name + collective.Algorithm(fmt.Sprintf("/protocol=%s/channels=3/gpus=2", protocol))
				for _, op := range []*collective.Op{collective.SumInt64, sumOf(12), sumOf(24)} {
					if err := s.check(a, 5, block, 3, op, 1); err != nil {
						t.Errorf("%s %s, elements of %d bytes: %v", s.kind, a, op.Elem, err)
					}
					if !s.reduce {
						break
					}
				}
			}
		}
	}
}

// sumOf returns an operator on elements of n bytes, whose results are wrong if they are divided.
func sumOf(n int) *collective.Op {
	return &collective.Op{Name: fmt.Sprint("sum of ", n), Elem: n, Commutative: true, Combine: func(inout, in []byte) {
		if len(inout)%n != 0 {
			clear(inout)
			return
		}
		for i, b := range in {
			inout[i] += b
		}
	}}
}
