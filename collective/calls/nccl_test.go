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
				if err := s.check(a, 5, block, 3, collective.SumInt64, 1); err != nil {
					t.Errorf("%s %s: %v", s.kind, a, err)
				}
			}
		}
	}
}
