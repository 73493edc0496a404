package ns3_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast/internal/input"
	"fabricast/trace"
	"fabricast/trace/ns3"
)

// read writes a flow file and reads its tasks by rank.
func read(t *testing.T, text string) ([][]trace.Task, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flow.txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := ns3.Open(path)
	if err != nil {
		return nil, err
	}
	all := make([][]trace.Task, min(g.Ranks(), 16))
	for rank := range all {
		s, err := g.OpenTasks(rank)
		for err == nil {
			var task trace.Task
			if err = s.Next(&task); err == nil {
				all[rank] = append(all[rank], task)
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
	return all, nil
}

// TestFlows: starts are in seconds and count from the first flow.
func TestFlows(t *testing.T) {
	all, err := read(t, "2 \n2 1 3 100 5000 2.0000000015\n0 1 4 100 70 2\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || len(all[2]) != 2 || len(all[1]) != 2 || len(all[0]) != 3 {
		t.Fatalf("tasks %+v", all)
	}
	if until, send := all[2][0], all[2][1]; until.Kind != trace.TaskUntil || until.Duration != 1500 ||
		send.Message.Size != 5000 || send.Message.Peer != 1 || len(send.After) != 1 {
		t.Errorf("tasks of rank 2: %+v", all[2])
	}
	if all[0][1].Skipped != "idle time before the first flow, 2 s" ||
		all[0][0].Skipped != "order of the 2 priorities of flows" {
		t.Errorf("omitted: %q, %q", all[0][0].Skipped, all[0][1].Skipped)
	}
}

// TestWrong: errors name the line and the field.
func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		"2\n0 1 3 100 5 0\n":            "line 2: file: found its end, expected 2 flows, after 1",
		"1\n0 1 3 100 5\n":              "line 2: flow: found 5 words, expected source destination",
		"1\n0 1 3 100 -5 0\n":           `line 2: size: found "-5"`,
		"1\n0 1 9 100 5 0\n":            `line 2: priority: found "9", expected a whole number from 0 to 7`,
		"1\n0 1 3 100 5 soon\n":         `line 2: start: found "soon", expected a time`,
		"1\n0 1 3 100 5 0\n0 1 3 1 1 1": `line 3: line: found "0 1 3 1 1 1", expected no more than 1 flow`,
		"one\n":                         `line 1: number of flows: found "one"`,
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v lacks %q", text, err, want)
		}
	}
}

// FuzzFlows: whatever a file contains, reading it ends, and errors name a place.
func FuzzFlows(f *testing.F) {
	sample, err := os.ReadFile("../testdata/ns3/flow.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(sample))
	f.Add("1\n0 0 0 0 0 1e-9\n")
	f.Fuzz(func(t *testing.T, text string) {
		var wrong *trace.Error
		var unreadable *input.Error
		if _, err := read(t, text); err != nil && !errors.As(err, &wrong) &&
			!errors.As(err, &unreadable) {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
