package plan

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"fabricast/experiment"
)

// checkSlow returns an error if a factor of computation is that of a rank that the program does not have.
func checkSlow(e *experiment.Resolved) error {
	if e.Ranks == 0 {
		return nil // jobs check theirs, and traffic has no ranks
	}
	for _, name := range slices.Sorted(maps.Keys(e.Compute.Ranks)) {
		if rank, _ := strconv.Atoi(name); rank >= e.Ranks {
			return e.Refuse(
				"compute.ranks."+name, "rank "+name, fmt.Sprintf("ranks from 0 to %d", e.Ranks-1), "",
			)
		}
	}
	return nil
}
