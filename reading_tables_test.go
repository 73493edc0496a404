package fabricast_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/needed"
)

// TestReadingTables runs every example of docs/formats/result.md, by DuckDB, Polars and pandas, in
// a folder with the result that it reads. Polars is that for Node, whose calls are the same; a
// pandas without pyarrow, as Debian's, reads what DuckDB converts.
func TestReadingTables(t *testing.T) {
	runner, err := filepath.Abs("tools/tables/run.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("tools/tables/node_modules"); err != nil {
		needed.Missing(t, "the readers are not installed: npm ci --prefix tools/tables")
	}
	folder := t.TempDir()
	e, err := fabricast.Load("examples/quickstart.yaml", "network.topology.dims=[4, 4, 4]", "ranks=64",
		"record={bins: {interval: auto}, messages: true, timeline: true}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Run(t.Context(), fabricast.Record(filepath.Join(folder, "results", "a"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("docs/formats/result.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, found := range regexp.MustCompile("(?s)```(sql|python)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		language, example := found[1], found[2]
		command := exec.CommandContext(t.Context(), "node", runner, "sql")
		switch {
		case strings.Contains(example, "import polars"):
			language = "polars"
			command = exec.CommandContext(t.Context(), "node", runner, "polars")
		case language == "python":
			language = "pandas"
			command = exec.CommandContext(t.Context(), "/usr/bin/python3", "-")
			example = readByDuckDB(runner) + example
		}
		ran[language]++
		command.Dir, command.Stdin = folder, strings.NewReader(example)
		out, err := command.CombinedOutput()
		if err != nil || strings.Count(string(out), "\n") < 2 {
			t.Errorf("%s: %v\n%s%s", language, err, example, out)
		}
	}
	if ran["sql"] != 3 || ran["polars"] != 1 || ran["pandas"] != 1 {
		t.Errorf("ran %v of the examples", ran)
	}
}

// readByDuckDB lets a pandas that cannot read Parquet itself read a table by DuckDB.
func readByDuckDB(runner string) string {
	return `
import io, subprocess
import pandas
try:
    import pyarrow
except ImportError:
    def read_parquet(path):
        text = subprocess.run(["node", "` + runner + `", "csv", path], check=True, capture_output=True).stdout
        return pandas.read_csv(io.BytesIO(text), keep_default_na=False)
    pandas.read_parquet = read_parquet
`
}
