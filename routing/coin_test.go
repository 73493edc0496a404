package routing_test

import (
	"testing"

	"fabricast/routing"
)

// TestCoin: coins of different places differ, and both sides come up about
// equally often in every bit.
func TestCoin(t *testing.T) {
	seen := map[uint64]bool{}
	var ones [64]int
	const draws = 20 * 20 * 20
	for seed := range uint64(20) {
		for nic := range int32(20) {
			for packet := range uint64(20) {
				coin := routing.Coin(seed, nic, packet)
				seen[coin] = true
				for bit := range ones {
					ones[bit] += int(coin >> bit & 1)
				}
			}
		}
	}
	if len(seen) != draws {
		t.Errorf("%d different coins of %d", len(seen), draws)
	}
	for bit, n := range ones {
		if n < draws*46/100 || n > draws*54/100 {
			t.Errorf("bit %d is set in %d of %d coins", bit, n, draws)
		}
	}
}
