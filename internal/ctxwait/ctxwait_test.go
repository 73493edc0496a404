package ctxwait_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"fabricast/internal/ctxwait"
)

func none(int) {}

func TestDo(t *testing.T) {
	n, abandoned, err := ctxwait.Do(context.Background(), func() (int, error) { return 7, nil }, none)
	if n != 7 || abandoned || err != nil {
		t.Errorf("%d, %v, %v", n, abandoned, err)
	}
	wrong := errors.New("wrong")
	if _, abandoned, err = ctxwait.Do(context.Background(), func() (int, error) { return 0, wrong }, none); abandoned ||
		!errors.Is(err, wrong) {
		t.Errorf("%v, %v", abandoned, err)
	}
	if _, _, err = ctxwait.Do(context.Background(), func() (int, error) { runtime.Goexit(); return 0, nil }, none); err == nil {
		t.Error("a goroutine that ended is taken for success")
	}
}

func TestPanicsReachTheCaller(t *testing.T) {
	defer func() {
		if p := recover(); p != "deep" {
			t.Errorf("recovered %v", p)
		}
	}()
	_, _, _ = ctxwait.Do(context.Background(), func() (int, error) { panic("deep") }, none)
}

// TestNobodyWaits: what comes too late is dropped when it is there.
func TestNobodyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	late, dropped := make(chan int), make(chan int)
	_, abandoned, err := ctxwait.Do(
		ctx,
		func() (int, error) { return <-late, nil },
		func(n int) { dropped <- n },
	)
	if !abandoned || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", abandoned, err)
	}
	late <- 7
	if n := <-dropped; n != 7 {
		t.Errorf("dropped %d", n)
	}
}
