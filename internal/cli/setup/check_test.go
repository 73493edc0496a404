package setup

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"fabricast"
	"fabricast/internal/cli/ending"
)

// TestDivisionsInterrupted checks that fabricast check, interrupted at any time while it evaluates
// partitions, ends with exit code 130.
func TestDivisionsInterrupted(t *testing.T) {
	e, err := fabricast.Parse("e.yaml", "network: {topology: {kind: torus, dims: [16, 16, 8]}}\ntraffic: {load: 10%}\n")
	if err != nil {
		t.Fatal(err)
	}
	d := rand.New(rand.NewPCG(34, 12))
	for i := range 6 {
		preview, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		if i == 0 {
			cancel()
		}
		time.AfterFunc(time.Duration(d.IntN(20_000))*time.Microsecond, cancel)
		err = findDivisions(ctx, preview, 2+d.IntN(30))
		if err == nil && i > 0 { // completed before the interruption
			continue
		}
		var interrupted *ending.InterruptedError
		if !errors.As(err, &interrupted) || ending.Code(err) != ending.Interrupted {
			t.Errorf("%v, want an interruption", err)
		}
	}
}
