package cli

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"fabricast"
)

// TestUntilInterrupted: nobody waits for what cannot be stopped; what is done in time is returned.
func TestUntilInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if n, err := untilInterrupted(ctx, func() (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	never := make(chan struct{})
	defer close(never)
	cancel()
	_, err := untilInterrupted(ctx, func() (int, error) {
		<-never
		return 7, nil
	})
	var interrupted *interruptedError
	if !errors.As(err, &interrupted) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestDivisionsInterrupted: a check that looks for divisions of a network ends with exit code 130 when it
// is interrupted, at whichever moment.
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
		if err == nil && i > 0 { // found in time
			continue
		}
		var interrupted *interruptedError
		if !errors.As(err, &interrupted) || exitCode(err) != exitInterrupted {
			t.Errorf("%v, want an interruption", err)
		}
	}
}
