package fabricast

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fabricast/internal/processes"
	"fabricast/internal/run"
	"fabricast/record"
)

// TestProcessesChangeNothing holds that results and result folders do not depend on the number of
// processes that share a run. Goroutines take the place of processes. Of every network, routing and
// switch that can be named one experiment is drawn and run in one to four processes of one or two
// workers.
func TestProcessesChangeNothing(t *testing.T) {
	eachSmallNetwork(t, func(t *testing.T, network string) {
		t.Parallel()
		d := drawsFor(t)
		eachRouting(t, d, network, func(routing string) {
			router := drawRouter(d, switches[d.IntN(len(switches))])
			load := withoutRecord(drawLoad(d))
			text := fmt.Sprintf("network: {topology: %s, routing: %s, router: %s}\n%s", network, routing, router, load)
			processesAgree(t, text, 2+d.IntN(3), 1+d.IntN(2))
		})
	})
}

// withoutRecord returns an experiment without the line of what it records.
func withoutRecord(text string) string {
	before, rest, recorded := strings.Cut(text, "record:")
	if !recorded {
		return text
	}
	_, after, _ := strings.Cut(rest, "\n")
	return before + after
}

// processesAgree compares a run in one process with one in several.
func processesAgree(t *testing.T, text string, n, workers int) {
	t.Helper()
	want, err := inProcesses(t, text, 1, 1)
	if err != nil {
		t.Errorf("1 process: %v\n%s", err, text)
		return
	}
	got, err := inProcesses(t, text, n, workers)
	if err != nil {
		if !unshared(err) {
			t.Errorf("%d processes of %d workers: %v\n%s", n, workers, err, text)
		}
		return
	}
	for name := range want {
		if want[name] != got[name] {
			t.Errorf(
				"%s is another with %d processes of %d workers:\n%s\n%s",
				name, n, workers, text, firstDifference(want[name], got[name]),
			)
			return
		}
	}
}

// unshared reports whether an experiment was refused because it needs one process.
func unshared(err error) bool {
	return strings.Contains(err.Error(), "expected one: ") || strings.Contains(err.Error(), "at most one process a router")
}

// inProcesses returns what a run with a folder leaves at the first of n processes, as allOf does.
func inProcesses(t *testing.T, text string, n, workers int) (map[string]string, error) {
	folder := filepath.Join(t.TempDir(), "result")
	var wg sync.WaitGroup
	errs := make([]error, n)
	var first *Result
	for p, group := range processes.Local(n) {
		wg.Go(func() {
			e, err := Parse("identity.yaml", text)
			if err == nil {
				var r *Result
				r, err = e.Run(context.Background(), run.Across(group), Workers(workers), Record(folder))
				if p == 0 {
					first = r
				}
			}
			errs[p] = err
		})
	}
	wg.Wait()
	for p, err := range errs {
		if (err == nil) != (errs[0] == nil) {
			return nil, fmt.Errorf("process %d ends with %v, the first with %v", p, err, errs[0])
		}
	}
	if errs[0] != nil {
		return nil, errs[0]
	}
	first.Workers, first.Balance, first.Windows, first.Host = 0, 0, 0, Host{}
	result, err := json.Marshal(first)
	if err != nil {
		return nil, err
	}
	all := map[string]string{"the result": string(result)}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if base := filepath.Base(name); base != record.ResultFile && base != record.ProgressFile {
			all[base] = string(content)
		}
	}
	return all, err
}
