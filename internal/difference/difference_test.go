package difference_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/difference"
	"fabricast/record"
)

const fourRanks = `
network: {topology: {kind: torus, dims: [4]}, link: {bandwidth: 1GB/s, latency: 100ns}}
node: {overhead: 100ns}
ranks: 4
workload: {program: ring, size: 1KiB, iterations: 2}
`

// runOf runs an experiment with causes, and opens its folder.
func runOf(t *testing.T, text string, options ...fabricast.Option) *record.Reader {
	t.Helper()
	e, err := fabricast.Parse("test.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	e.Record = experiment.Recording{}
	e.Record.Set("causes")
	folder := filepath.Join(t.TempDir(), "run")
	options = append(options, fabricast.Record(folder), fabricast.Workers(1))
	if _, err := e.Run(context.Background(), options...); err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func find(t *testing.T, first, second *record.Reader) *difference.Difference {
	t.Helper()
	d, err := difference.Find(first, second)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEqualRuns: whatever the seed, a ring does not differ.
func TestEqualRuns(t *testing.T) {
	d := find(t, runOf(t, fourRanks), runOf(t, fourRanks+"seed: 7\n"))
	if !d.Equal || len(d.Events) > 0 || !strings.Contains(d.What, "do not differ") {
		t.Errorf("%+v", d)
	}
}

// TestLatencyOfOneLink: with links of 130 ns the first message arrives later by one link's difference for
// each of its three links, or two if it meets no router between; nothing differs before.
func TestLatencyOfOneLink(t *testing.T) {
	d := find(t, runOf(t, fourRanks), runOf(t, strings.Replace(fourRanks, "latency: 100ns", "latency: 130ns", 1)))
	if d.Equal || len(d.Events) == 0 {
		t.Fatalf("%+v", d)
	}
	e := d.Events[0]
	if by := e.At[1] - e.At[0]; by <= 0 || by%30_000 != 0 || d.At != e.At[0] {
		t.Errorf("the first event differs by %d ps: %+v", by, e)
	}
	if d.Predicted[1] <= d.Predicted[0] || !strings.Contains(d.What, "longer") {
		t.Errorf("%+v", d)
	}
}

// TestOnlyInOneRun: what one of the runs has more of is told, whichever comes first.
func TestOnlyInOneRun(t *testing.T) {
	long := runOf(t, strings.Replace(fourRanks, "iterations: 2", "iterations: 3", 1))
	for i, pair := range [2][2]*record.Reader{{runOf(t, fourRanks), long}, {long, runOf(t, fourRanks)}} {
		d := find(t, pair[0], pair[1])
		if d.Equal || len(d.Events) == 0 {
			t.Fatalf("%+v", d)
		}
		more := 1 - i // the longer run
		ends, messages := d.Predicted[i], 0
		for _, e := range d.Events {
			if e.At[1-more] != difference.Never || e.At[more] <= 0 {
				t.Errorf("%+v", e)
			}
			want := fmt.Sprintf("in the %s run only", [2]string{"first", "second"}[more])
			if !strings.HasSuffix(e.Words, want) {
				t.Errorf("%q does not end with %q", e.Words, want)
			}
			if strings.HasPrefix(e.Words, "the message of ") {
				messages++
			}
		}
		if messages == 0 || d.At < ends/2 || d.At > d.Predicted[more] {
			t.Errorf("%+v", d)
		}
	}
}

// TestInterruptedRuns are not compared.
func TestInterruptedRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e, err := fabricast.Parse("test.yaml", strings.Replace(fourRanks, "iterations: 2", "iterations: 100000", 1))
	if err != nil {
		t.Fatal(err)
	}
	e.Record.Set("causes")
	folder := filepath.Join(t.TempDir(), "run")
	_, err = e.Run(ctx, fabricast.Record(folder), fabricast.Workers(1), fabricast.OnProgress(1, func(fabricast.Progress) { cancel() }))
	if err == nil {
		t.Fatal("the run was not interrupted")
	}
	stopped, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := difference.Find(runOf(t, fourRanks), stopped); err == nil || !strings.Contains(err.Error(), "the second run") {
		t.Errorf("error %v", err)
	}
}
