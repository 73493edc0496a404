package cluster

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestSame: one thing that one process was given otherwise, or was not given, is named with the process,
// in all of them; what a process cannot tell is no difference.
func TestSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "processes")
		names := rapid.IntRange(1, 6).Draw(t, "traits")
		odd := rapid.IntRange(-1, n-1).Draw(t, "odd")
		at := rapid.IntRange(0, names-1).Draw(t, "at")
		how := rapid.SampledFrom([]string{"other", "absent", "more", "unknown", "nothing"}).Draw(t, "how")
		traits := make([][]Trait, n)
		for p := range traits {
			for i := range names {
				if p == odd && how == "nothing" && i != at {
					continue
				}
				x := Trait{Name: fmt.Sprint("t", i), Value: fmt.Sprint("v", i), Part: "all"}
				switch {
				case p != odd || i != at:
				case how == "other":
					x.Value += "'"
				case how == "absent":
					continue
				case how == "unknown":
					x = Trait{Name: x.Name, Unknown: true}
				case how == "nothing":
					traits[p] = []Trait{{Name: "all", Unknown: true}}
					continue
				case how == "more":
					traits[p] = append(traits[p], Trait{Name: "extra", Value: "x"})
				}
				traits[p] = append(traits[p], x)
			}
		}
		errs := make([]error, n)
		var wg sync.WaitGroup
		for p, g := range Local(n) {
			wg.Go(func() { errs[p] = Same(g, traits[p]) })
		}
		wg.Wait()
		differs := n > 1 && odd >= 0 && how != "unknown" && how != "nothing"
		name := fmt.Sprint("t", at)
		if how == "more" {
			name = "extra"
		}
		for p, err := range errs {
			var found *DifferentError
			if errors.As(err, &found) != differs {
				t.Fatalf("process %d: %v", p, err)
			}
			if !differs {
				continue
			}
			if err.Error() != errs[0].Error() {
				t.Fatalf("process %d: %v, the first: %v", p, err, errs[0])
			}
			for _, d := range found.List {
				if d.Name != name || odd > 0 && (d.Process != odd || len(found.List) != 1) {
					t.Fatalf("%+v", d)
				}
			}
			if odd == 0 && len(found.List) != min(n-1, mostDifferences) {
				t.Fatal(err)
			}
		}
	})
	long := shown(strings.Repeat("ä", mostShown))
	if len(long) > mostShown+3 || !strings.HasSuffix(long, "...") {
		t.Error(long)
	}
}
