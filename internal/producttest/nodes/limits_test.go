package nodes

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
	"fabricast/mpi"
)

// TestTimeHasAnEnd: a rank whose clock no longer fits fails; it does not begin anew in the past.
func TestTimeHasAnEnd(t *testing.T) {
	e := producttest.Torus(2)
	e.Program = func(r *mpi.Rank) {
		for range 3 {
			r.Compute(1 << 61)
		}
	}
	_, err := e.Run(context.Background())
	var failed *fabricast.RunError
	if !errors.As(err, &failed) || failed.Time != 1<<62 || !strings.Contains(err.Error(), "beyond 53 days") {
		t.Errorf("%v, want that time ends", err)
	}
}

// TestLongestMessage: what cannot be cut into packets that can be numbered fails the run, not the
// simulator.
func TestLongestMessage(t *testing.T) {
	e := producttest.Torus(2)
	e.Program = func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(1<<50), 1, 0)
		}
	}
	_, err := e.Run(context.Background())
	var limit *fabricast.LimitError
	if !errors.As(err, &limit) ||
		!strings.Contains(err.Error(), "a message of more than 4294967295 packets") {
		t.Errorf("%v, want the limit of packets", err)
	}
}
