package ending

import (
	"context"
	"errors"
	"testing"
)

// TestUntilInterrupted: nobody waits for what cannot be stopped; what is done in time is returned.
func TestUntilInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	if n, err := UntilInterrupted(ctx, func() (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	never := make(chan struct{})
	defer close(never)
	cancel()
	_, err := UntilInterrupted(ctx, func() (int, error) {
		<-never
		return 7, nil
	})
	var interrupted *InterruptedError
	if !errors.As(err, &interrupted) || !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
