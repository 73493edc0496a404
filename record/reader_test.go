package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// result creates a result folder with a table of links. text is the content of result.json.
func result(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := []Link{{Link: 0, Kind: Between, Bytes: 5}, {Link: 1, Kind: Injection, Bytes: 7}}
	err = errors.Join(
		f.Write(ResultFile, []byte(text)),
		f.Write(
			NetworkFile,
			[]byte(`{"schema": "fabricast.network/1", "kind": "torus", "layout": "torus", "routers": 3}`),
		),
		WriteTable(f, LinksTable, slices.Values(rows), nil),
		WriteTable(f, RoutersTable, slices.Values([]Router{{Router: 1}}), nil),
		f.Commit(),
	)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

const whole = `{"schema": "fabricast.result/2"}`

func open(t *testing.T, path string) *Reader {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReaderReadsAll(t *testing.T) {
	r := open(t, result(t, whole))
	if r.State() != Ended || len(r.Problems()) > 0 || string(r.Result()) != whole ||
		r.Network().Routers != 3 {
		t.Errorf("state %s, problems %q, network %v", r.State(), r.Problems(), r.Network())
	}
	var bytes int64
	for row, err := range Rows[Link](r, LinksTable) {
		if err != nil {
			t.Fatal(err)
		}
		bytes += row.Bytes
	}
	if n, err := r.Count(LinksTable); n != 2 || err != nil || bytes != 12 {
		t.Errorf("%d links, %v, %d bytes", n, err, bytes)
	}
}

func TestReaderSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func(dir string) error
		want string
	}{
		{"no result", func(dir string) error { return os.Remove(filepath.Join(dir, ResultFile)) }, "result.json is missing"},
		{"half a result", func(dir string) error { return os.Truncate(filepath.Join(dir, ResultFile), 9) }, "result.json cannot be read"},
		{"later result", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ResultFile), []byte(`{"schema": "fabricast.result/3"}`), 0o666)
		}, `"fabricast.result/3"`},
		{"interrupted", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ResultFile), []byte(`{"schema": "fabricast.result/2", "state": "interrupted"}`), 0o666)
		}, "interrupted"},
		{"no network", func(dir string) error { return os.Remove(filepath.Join(dir, NetworkFile)) }, "network.json is missing"},
		{"no links", func(dir string) error { return os.Remove(filepath.Join(dir, LinksTable)) }, "links.parquet is missing"},
	} {
		path := result(t, whole)
		if err := c.harm(path); err != nil {
			t.Fatal(err)
		}
		if r := open(t, path); !strings.Contains(strings.Join(r.Problems(), "; "), c.want) {
			t.Errorf("%s: problems %q, want %q", c.name, r.Problems(), c.want)
		}
	}
}

func TestNothingThere(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "nowhere"), t.TempDir()} {
		if _, err := Open(path); !errors.Is(err, ErrNoResult) {
			t.Errorf("got %v", err)
		}
	}
}

// last returns the error at the end of the rows of a table.
func last[Row any](r *Reader, table string) (err error) {
	for _, err = range Rows[Row](r, table) {
	}
	return err
}

func TestBrokenTables(t *testing.T) {
	path := result(t, whole)
	r := open(t, path)
	var broken *TableError
	if err := last[Rank](r, RanksTable); !errors.As(err, &broken) ||
		!strings.Contains(err.Error(), "missing") {
		t.Errorf("a table that is missing: %v", err)
	}
	if err := last[Rank](r, LinksTable); !errors.As(err, &broken) ||
		!strings.Contains(err.Error(), "wait_ps") {
		t.Errorf("a table of other columns: %v", err)
	}
	links := filepath.Join(path, LinksTable)
	info, err := os.Stat(links)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{0, 3, 8, info.Size() / 2, info.Size() - 1} {
		if err := os.Truncate(links, size); err != nil {
			t.Fatal(err)
		}
		if err := last[Link](r, LinksTable); !errors.As(err, &broken) {
			t.Errorf("a table cut to %d bytes: %v", size, err)
		}
	}
}

func TestReaderFindsARunGoingOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o[u]t")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if err := f.WriteProgress(Progress{State: Running, Time: 5}); err != nil {
		t.Fatal(err)
	}
	r := open(t, path)
	if p, err := r.Progress(); r.State() != Running || err != nil || p.Time != 5 ||
		p.Schema != ProgressSchema {
		t.Errorf("state %s, progress %v, %v", r.State(), p, err)
	}
}
