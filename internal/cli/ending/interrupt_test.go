package ending

import (
	"context"
	"errors"
	"testing"
)

// TestUntilInterrupted checks that the result of a function is returned if it ends in time, and
// that an interruption does not wait for it.
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
