package traces

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"fabricast/trace"
	"fabricast/trace/formats"
	"fabricast/trace/summary"
)

// TestTraceInfoIsDocumented checks that docs/traces.md describes the JSON keys of trace info.
func TestTraceInfoIsDocumented(t *testing.T) {
	source, err := formats.Open("../../../trace/testdata/ti/actions_waitall.txt", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := summary.Read(context.Background(), source, 1, matrixCells)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := traceJSON(&out, s); err != nil {
		t.Fatal(err)
	}
	var printed map[string]any
	if err := json.Unmarshal(out.Bytes(), &printed); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/traces.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n## What a trace contains\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	_, table, _ := strings.Cut(section, "|---|---|\n")
	for row := range strings.Lines(table) {
		if !strings.HasPrefix(row, "|") {
			continue
		}
		for i, word := range strings.Split(strings.Split(row, "|")[1], "`") {
			if i%2 == 0 {
				continue
			}
			if _, ok := printed[word]; !ok {
				t.Errorf("the docs tell of %s, which is not printed", word)
			}
			delete(printed, word)
		}
	}
	for word := range printed {
		t.Errorf("the docs do not tell of %s", word)
	}
}
