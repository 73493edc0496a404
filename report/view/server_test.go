package view

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/units"
	"fabricast/record"
	"fabricast/report/data"
	"fabricast/topology"
)

// serve serves paths until the end of the test and returns the address.
func serve(t *testing.T, paths ...string) string {
	t.Helper()
	return serveWith(t, nil, paths...)
}

// serveWith is like serve, with a server that can simulate periods again.
func serveWith(t *testing.T, do Rewinder, paths ...string) string {
	t.Helper()
	s, err := New(true, paths...)
	if err != nil {
		t.Fatal(err)
	}
	s.Rewind(do)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

// get requests an address with the given Host header.
func get(t *testing.T, address, host string) (status int, body string, header http.Header) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		q.Host = host
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(text), a.Header
}

func manifestAt(t *testing.T, site string) *data.Manifest {
	t.Helper()
	status, text, _ := get(t, site+"/data/manifest", "")
	m := &data.Manifest{}
	if err := json.Unmarshal([]byte(text), m); err != nil || status != http.StatusOK {
		t.Fatalf("manifest: %d, %v", status, err)
	}
	return m
}

func runInto(t *testing.T, folder string) {
	t.Helper()
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{3, 2}}},
		Workload: experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 600},
	}
	if _, err := e.Run(t.Context(), fabricast.Record(folder)); err != nil {
		t.Fatal(err)
	}
}

// hashed returns the hash of a page's only executable script, in the form of a content security
// policy.
func hashed(t *testing.T, page string) string {
	t.Helper()
	_, rest, _ := strings.Cut(page, "<script>")
	script, rest, found := strings.Cut(rest, "</script>")
	if !found || strings.Contains(rest, "<script>") {
		t.Fatal("expected one script")
	}
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func TestServed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	runInto(t, dir)
	site := serve(t, dir)
	status, text, header := get(t, site+"/", "")
	if status != http.StatusOK || !strings.Contains(text, "<title>torus</title>") {
		t.Errorf("page: %d", status)
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
		!strings.Contains(policy, "script-src "+hashed(t, text)+";") {
		t.Errorf("policy %q", policy)
	}
	m := manifestAt(t, site)
	if m.Live || len(m.Runs) != 1 {
		t.Errorf("manifest: live %t, %d runs", m.Live, len(m.Runs))
	}
	for name, table := range m.Runs[0].Tables {
		for _, c := range table.Columns {
			if status, text, _ := get(t, site+"/data/blob/"+c.Blob, ""); status != http.StatusOK ||
				!strings.HasPrefix(text, "\x1f\x8b") {
				t.Errorf("%s.%s: %d, %d bytes", name, c.Name, status, len(text))
			}
		}
	}
}

// TestClosed checks that the server serves nothing else, and refuses other host names.
func TestClosed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	runInto(t, dir)
	site := serve(t, dir)
	f := func(path, host string, want int) {
		t.Helper()
		if status, _, _ := get(t, site+path, host); status != want {
			t.Errorf("%s of %q: %d, want %d", path, host, status, want)
		}
	}
	f("/result.json", "", http.StatusNotFound)
	f("/data/blob/none", "", http.StatusNotFound)
	f("/data/blob/..%2f..%2fresult.json", "", http.StatusNotFound)
	f("/data/blob/%2e%2e/%2e%2e/etc/passwd", "", http.StatusNotFound)
	f("/..%2f..%2fetc%2fpasswd", "", http.StatusNotFound)
	f("/data/manifest", "localhost:8080", http.StatusOK)
	f("/data/manifest", "[::1]:8080", http.StatusOK)
	f("/data/manifest", "evil.example", http.StatusForbidden)
	f("/", "127.0.0.1.evil.example:80", http.StatusForbidden)
}

// TestFollow checks that a page is notified of the progress and the end of a run.
func TestFollow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	site := serve(t, dir)
	if m := manifestAt(t, site); !m.Live || len(m.Runs) != 1 || m.Runs[0].Name != "torus" {
		t.Fatalf("before the run: live %t, %d runs", m.Live, len(m.Runs))
	}
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site+"/data/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	next := func(name string) (text string) {
		t.Helper()
		found := false
		for lines.Scan() {
			if found && strings.HasPrefix(lines.Text(), "data: ") {
				return strings.TrimPrefix(lines.Text(), "data: ")
			}
			found = lines.Text() == "event: "+name
		}
		t.Fatalf("the events ended, %v", lines.Err())
		return ""
	}
	folder, err := record.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.WriteProgress(record.Progress{State: record.Running, Time: 77, Ranks: 6, Left: -1}); err != nil {
		t.Fatal(err)
	}
	if text := next("progress"); !strings.Contains(text, `"id":"r0"`) ||
		!strings.Contains(text, `"simulated_time_ps":77`) {
		t.Errorf("progress %s", text)
	}
	folder.Abort()
	if text := next("progress"); !strings.Contains(text, `"state":"failed"`) {
		t.Errorf("the last progress of a run that has left nothing: %s", text)
	}
	runInto(t, dir)
	for next("manifest"); manifestAt(t, site).Live; next("manifest") {
	}
	if m := manifestAt(t, site); m.Runs[0].Summary == nil {
		t.Error("no summary after the end")
	}
}

// TestTakesLeave checks that pages are notified at once that the server ends.
func TestTakesLeave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	runInto(t, dir)
	s, err := New(false, dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	a, err := http.Get("http://" + l.Addr().String() + "/data/events")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	stop()
	text, err := io.ReadAll(a.Body)
	if err != nil || !strings.HasSuffix(string(text), "event: end\ndata: {}\n\n") {
		t.Errorf("the events are %q, %v", text, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// post requests that a period be simulated again, as a page of the given origin would.
func post(t *testing.T, site, path, origin, body string) int {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Origin", origin)
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	return a.StatusCode
}

// TestRewindGuarded checks that only the page itself can request to simulate a period again, only
// in the page's own syntax, only for runs with checkpoints, one at a time, and into folders next to
// the run's folder.
func TestRewindGuarded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "long")
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4}}},
		Workload: experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 65536, Iterations: 10},
	}
	if _, err := e.Run(t.Context(), fabricast.Record(dir), fabricast.Checkpoint(fabricast.Checkpoints{
		EveryTime: units.Millisecond, Keep: 2,
	})); err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(t.TempDir(), "bare")
	runInto(t, bare)
	asked, goOn := make(chan []string), make(chan bool)
	site := serveWith(t, func(_ context.Context, args []string) error {
		asked <- args
		<-goOn
		return errors.New("it failed")
	}, dir, bare)
	wish := `{"run":"r0","from":"1.50ms","length":"","records":["bins"],"routers":[],"ranks":[2,1]}`
	f := func(path, origin, body string, want int) {
		t.Helper()
		if status := post(t, site, path, origin, body); status != want {
			t.Errorf("%s of %s: %d, want %d: %s", path, origin, status, want, body)
		}
	}
	f("/rewinds/", "http://evil.example", wish, http.StatusForbidden)
	f("/rewinds/", "null", wish, http.StatusForbidden)
	f("/rewinds/", "", wish, http.StatusForbidden)
	f("/", site, wish, http.StatusMethodNotAllowed)
	f("/rewinds/", site, "{", http.StatusBadRequest)
	for _, change := range [][2]string{
		{"r0", "r1"},
		{"r0", "r7"},
		{"1.50ms", "--out"},
		{"1.50ms", "-1ms"},
		{`"bins"`, ""},
		{`"bins"`, `"trace"`},
		{`"length":""`, `"length":"0s"`},
		{"[2,1]", "[-1]"},
		{"[2,1]", `["a"]`},
	} {
		f("/rewinds/", site, strings.Replace(wish, change[0], change[1], 1), http.StatusBadRequest)
	}
	f("/rewinds/", site, wish, http.StatusOK)
	want := []string{"rewind", dir, "--to", "1.50ms", "--record", "bins", "--ranks", "2,1", "--out", dir + "-1.50ms"}
	if args := <-asked; !slices.Equal(args, want) {
		t.Errorf("asked for %q, want %q", args, want)
	}
	f("/rewinds/", site, wish, http.StatusConflict)
	if m := manifestAt(t, site); !m.CanRewind || len(m.Rewinds) != 1 || m.Rewinds[0].State != data.RewindRunning {
		t.Errorf("while it is simulated: %+v", m.Rewinds)
	}
	goOn <- true
	for m := manifestAt(t, site); m.Rewinds[0].State == data.RewindRunning; m = manifestAt(t, site) {
	}
	if m := manifestAt(t, site); m.Rewinds[0].State != data.RewindFailed || m.Rewinds[0].Why != "it failed" {
		t.Errorf("after it has failed: %+v", m.Rewinds)
	}
	if status, _, _ := get(t, site+"/rewinds/0/", ""); status != http.StatusNotFound {
		t.Errorf("the report of a period that failed: %d", status)
	}
	without := serve(t, dir)
	if post(t, without, "/rewinds/", without, wish) != http.StatusMethodNotAllowed || manifestAt(t, without).CanRewind {
		t.Error("a server that cannot, does")
	}
}
