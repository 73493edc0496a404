package nodetest

import (
	"math/rand/v2"

	"fabricast/internal/units"
	"fabricast/node"
)

// Disturb delays the starts of ranks and adds noise, determined by seed.
func Disturb(nodes *node.Spec, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 80))
	nodes.Begin = make([]int64, len(nodes.HostOf))
	for rank := range nodes.Begin {
		nodes.Begin[rank] = random.Int64N(3_000_000)
	}
	every := 100_000 + random.Int64N(2_000_000)
	nodes.Noise = node.Noise{
		Every: units.Time(every), Lose: units.Time(1 + random.Int64N(every/2)),
		Exponential: random.IntN(2) == 0, Aligned: random.IntN(2) == 0, Seed: seed,
	}
}
