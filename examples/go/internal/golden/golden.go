// Package golden compares the predictions of the examples with stored predictions, so that no
// change goes unnoticed.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fabricast"
)

var update = flag.Bool("update", false, "write the golden results anew")

// Check runs an experiment with one and with two workers, requires equal results, and compares them
// with testdata/<name>.golden. It returns the result.
func Check(t *testing.T, name string, e *fabricast.Experiment) *fabricast.Result {
	t.Helper()
	one, two := predict(t, e, 1), predict(t, e, 2)
	if summary(one) != summary(two) {
		t.Fatalf("one worker:\n%stwo workers:\n%s", summary(one), summary(two))
	}
	compare(t, filepath.Join("testdata", name+".golden"), summary(one))
	return one
}

func predict(t *testing.T, e *fabricast.Experiment, workers int) *fabricast.Result {
	t.Helper()
	r, err := e.Run(t.Context(), fabricast.Workers(workers))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// summary returns the figures of a prediction that must not change, as text.
func summary(r *fabricast.Result) string {
	return fmt.Sprintf("simulated_time_ps %d\nresult_hash %s\nmessages %d\npacket_hops %d\n",
		int64(r.SimulatedTime), r.Hash, r.Messages, r.PacketHops)
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf(
			"the prediction has changed; if that is meant, run the test with -update and say why in "+
				"the changelog\ngot:\n%swant:\n%s",
			got, want,
		)
	}
}
