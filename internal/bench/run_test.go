package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"fabricast"
)

// prints makes children that print results with the given hashes, one after the other.
func prints(t *testing.T, hashes ...string) func(context.Context, string, bool) *exec.Cmd {
	return func(ctx context.Context, _ string, _ bool) *exec.Cmd {
		text, err := json.Marshal(
			fabricast.Result{
				Hash:       hashes[0],
				PacketHops: 2e6,
				Host:       fabricast.Host{User: 1, Wall: 1, PeakRSS: 8e6},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		hashes = hashes[1:]
		return exec.CommandContext(ctx, "echo", string(text))
	}
}

func selected(t *testing.T, names ...string) []*Case {
	t.Helper()
	cases, err := Select(names)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestRun(t *testing.T) {
	o := Options{
		Cases: selected(t, "nsim-64k", "nsim-64k-2w", "bruck-8"),
		Child: prints(t, "a", "a", "b", "b", "b"),
	}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Cases) != 3 || r.Cases[2].Repeats != 3 || r.Cases[0].NSPerHop != 500 ||
		r.Cases[1].WallRatio != 1 {
		t.Errorf("got %+v", r.Cases)
	}
	if r.Cases[0].Bounds[0].Met != true || r.Cases[1].Bounds[0].Met != false || r.Failed() != 0 {
		t.Errorf("bounds %+v, %+v", r.Cases[0].Bounds, r.Cases[1].Bounds)
	}
}

// TestRunDemandsOneResult demands the same result of repeats and of any number of workers.
func TestRunDemandsOneResult(t *testing.T) {
	f := func(cases []*Case, hashes ...string) {
		t.Helper()
		var internal *fabricast.InternalError
		if _, err := Run(t.Context(), Options{Cases: cases, Child: prints(t, hashes...)}); !errors.As(
			err, &internal,
		) {
			t.Errorf("got %v, expected an internal error", err)
		}
	}
	f(selected(t, "bruck-8"), "a", "a", "b")
	f(selected(t, "nsim-64k", "nsim-64k-2w"), "a", "b")
}

func TestRunGoesOnAfterAFailure(t *testing.T) {
	fails := func(ctx context.Context, name string, full bool) *exec.Cmd {
		if name == "bruck-8" {
			return exec.CommandContext(ctx, "sh", "-c", "echo it needs more memory >&2; exit 1")
		}
		return prints(t, "a")(ctx, name, full)
	}
	r, err := Run(t.Context(), Options{Cases: selected(t, "bruck-8", "bruck-64"), Repeat: 1, Child: fails})
	if err != nil || r.Failed() != 1 || r.Cases[0].Error != "it needs more memory" || r.Cases[1].Error != "" {
		t.Errorf("got %+v, %v", r.Cases, err)
	}
}

func TestRunIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	o := Options{
		Cases: selected(t, "bruck-8", "bruck-64"), Repeat: 1,
		Child: func(ctx context.Context, name string, full bool) *exec.Cmd {
			if calls++; calls == 2 {
				time.AfterFunc(10*time.Millisecond, cancel)
				return exec.CommandContext(ctx, "sleep", "600")
			}
			return prints(t, "a")(ctx, name, full)
		},
		Progress: func(p Progress) {
			if want := fmt.Sprintf("bruck-%d", 8*p.Number*p.Number*p.Number); p.Case != want || p.Of != 2 {
				t.Errorf("progress %+v, expected case %s", p, want)
			}
		},
	}
	r, err := Run(ctx, o)
	var interrupted *InterruptedError
	if !errors.As(err, &interrupted) || interrupted.Done != 1 || interrupted.Of != 2 ||
		!errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if !r.Interrupted || len(r.Cases) != 1 || !strings.Contains(err.Error(), "1 of 2 cases") {
		t.Errorf("got %+v, %v", r, err)
	}
}
