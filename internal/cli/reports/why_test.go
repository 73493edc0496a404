package reports_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/cli/clitest"
	"fabricast/internal/cli/ending"
	"fabricast/internal/why"
	"fabricast/record"
	"fabricast/report/data"
)

// TestWhatHelpsInFolder checks that what runs gain is kept in the folder of a run, where its report
// finds it; that each gain is one; and that a table of another run, or damage, is a problem.
func TestWhatHelpsInFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	e, err := fabricast.Parse("x.yaml", "network: {topology: {kind: mesh, dims: [4]}}\n"+
		"workload: {program: gather, size: 3KiB, algorithm: linear}\nrecord: {causes: full}\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
		t.Fatal(err)
	}
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	if _, _, err := clitest.Command(interrupted, "why", dir, "--what-helps"); ending.Code(err) != ending.Interrupted {
		t.Errorf("an interrupted command ends with %v", err)
	}
	if helps := reportedHelps(t, dir, 0); helps != nil {
		t.Error("an interrupted command leaves a table")
	}
	out, log, err := clitest.Command(t.Context(), "why", dir, "--what-helps", "--json")
	if err != nil {
		t.Fatal(err, log)
	}
	var path struct {
		Predicted int64        `json:"predicted_ps"`
		WhatHelps []why.Change `json:"what_helps"`
	}
	if err := json.Unmarshal([]byte(out), &path); err != nil {
		t.Fatal(err)
	}
	helps := reportedHelps(t, dir, 0)
	kept, _ := json.Marshal(helps.Changes)
	if told, _ := json.Marshal(path.WhatHelps); !bytes.Equal(kept, told) {
		t.Errorf("the report has %s, the command says %s", kept, told)
	}
	flows, gains := 0, 0
	for _, c := range helps.Changes {
		if c.Gain != path.Predicted-c.Run {
			t.Errorf("%s gains %d ps, from %d to %d", c.Change, c.Gain, path.Predicted, c.Run)
		}
		if strings.Contains(c.Change, "out of the way") {
			flows++
		}
		if c.Gain > 0 {
			gains++
		}
	}
	if flows == 0 || gains == 0 {
		t.Errorf("%d flows are tried, %d changes gain: %s", flows, gains, kept)
	}
	whole, err := os.ReadFile(filepath.Join(dir, record.WhatHelpsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{
		whole[:len(whole)/2], bytes.Replace(whole, []byte("what-helps/1"), []byte("what-helps/0"), 1),
		bytes.Replace(whole, []byte(`"predicted_ps": `), []byte(`"predicted_ps": 1`), 1),
	} {
		if err := os.WriteFile(filepath.Join(dir, record.WhatHelpsFile), damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if helps := reportedHelps(t, dir, 1); helps != nil {
			t.Errorf("read in spite of damage: %s", damaged)
		}
	}
	if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
		t.Fatal(err)
	}
	if helps := reportedHelps(t, dir, 0); helps != nil {
		t.Error("a new run keeps what changes of an earlier one gain")
	}
}

// reportedHelps is what a report of a folder tells of changes. The report must name so many problems.
func reportedHelps(t *testing.T, dir string, problems int) *why.Helps {
	t.Helper()
	r, err := data.Make(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Manifest.Problems) != problems {
		t.Errorf("problems %q, expected %d", r.Manifest.Problems, problems)
	}
	return r.Manifest.Runs[0].Why.Helps
}
