package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fabricast/internal/panics"
	"fabricast/internal/units"
	"fabricast/report/data"
)

// Rewinder executes `fabricast rewind` with the given arguments. It stops when ctx ends.
type Rewinder func(ctx context.Context, args []string) error

// rewinds holds the periods of runs that pages have requested to simulate again, one at a time. The
// data of a period is recorded in a folder next to the run's folder.
type rewinds struct {
	do Rewinder // if nil, pages cannot request periods

	ctx   context.Context // ends with the server
	mutex sync.Mutex
	list  []*rewind
}

// rewind is one requested period.
type rewind struct {
	told   data.Rewind
	ended  <-chan struct{}
	report *Server // report of the recorded data; nil until available
}

// wish is a page's request to simulate a period again. Times have the syntax of `fabricast rewind`.
type wish struct {
	Run     string   `json:"run"`
	From    string   `json:"from"`
	Length  string   `json:"length"`
	Records []string `json:"records"`
	Routers []int    `json:"routers"`
	Ranks   []int    `json:"ranks"`
}

// check returns an error if the request is invalid for the run described by l.
func (w *wish) check(l *data.LookBack) error {
	w.From = strings.ReplaceAll(w.From, " ", "") // the text becomes part of a folder's name
	if from, err := units.ParseTime(w.From); err != nil || from < 0 {
		return fmt.Errorf("found %q, expected the begin of the period", w.From)
	}
	if length, err := units.ParseTime(w.Length); w.Length != "" && (err != nil || length <= 0) {
		return fmt.Errorf("found %q, expected the length of the period", w.Length)
	}
	for _, name := range w.Records {
		if !slices.Contains(l.Records, name) {
			return fmt.Errorf("found %q, expected some of %s", name, strings.Join(l.Records, ", "))
		}
	}
	if len(w.Records) == 0 {
		return errors.New("found nothing to record")
	}
	if n := slices.Min(append(slices.Concat(w.Routers, w.Ranks), 0)); n < 0 {
		return fmt.Errorf("found %d, expected the number of a router or a rank", n)
	}
	return nil
}

// args returns the command-line arguments of `fabricast rewind`.
func (w *wish) args(folder, out string) []string {
	list := []string{"rewind", folder, "--to", w.From}
	if w.Length != "" {
		list = append(list, "--for", w.Length)
	}
	list = append(list, "--record", strings.Join(w.Records, ","))
	list = append(append(list, numbers("--routers", w.Routers)...), numbers("--ranks", w.Ranks)...)
	return append(list, "--out", out)
}

// numbers returns a flag with a list of integers; nil if the list is empty.
func numbers(flag string, values []int) []string {
	if len(values) == 0 {
		return nil
	}
	words := make([]string, len(values))
	for i, n := range values {
		words[i] = strconv.Itoa(n)
	}
	return []string{flag, strings.Join(words, ",")}
}

// errBusy reports that a request is rejected because another period is being simulated.
var errBusy = errors.New("another period is being simulated")

// begin starts to simulate the requested period of the run. It calls done at the end.
func (r *rewinds) begin(name string, l *data.LookBack, w *wish, done func()) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if n := len(r.list); n > 0 && r.list[n-1].told.State == data.RewindRunning {
		return errBusy
	}
	out := free(strings.TrimRight(l.Folder, "/") + "-" + w.From)
	one := &rewind{told: data.Rewind{
		Run: name, From: w.From, Length: w.Length, State: data.RewindRunning, Folder: out,
	}}
	number := len(r.list)
	r.list = append(r.list, one)
	one.ended = panics.Go("period of a run", func() {
		err := r.do(r.ctx, w.args(l.Folder, out))
		var report *Server
		if err == nil {
			report, err = New(false, out)
		}
		r.end(one, number, report, err)
		done()
	})
	return nil
}

// free returns path, or path with a numeric suffix, so that no file exists there.
func free(path string) string {
	found := path
	for n := 2; ; n++ {
		if _, err := os.Lstat(found); err != nil {
			return found
		}
		found = fmt.Sprintf("%s-%d", path, n)
	}
}

func (r *rewinds) end(one *rewind, number int, report *Server, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err != nil {
		one.told.State, one.told.Why = data.RewindFailed, err.Error()
		return
	}
	one.told.State, one.report = data.RewindEnded, report
	one.told.Address = fmt.Sprintf("%s%d/", rewindPath[1:], number)
}

// all returns the state of all requested periods, for pages.
func (r *rewinds) all() (list []data.Rewind) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, one := range r.list {
		list = append(list, one.told)
	}
	return list
}

// wait waits until all requested periods have ended.
func (r *rewinds) wait() {
	r.mutex.Lock()
	list := slices.Clone(r.list)
	r.mutex.Unlock()
	for _, one := range list {
		<-one.ended
		if one.report != nil {
			one.report.takeLeave()
		}
	}
}

// rewindPath is the URL path for requests to simulate a period again. The reports of periods are
// below it.
const rewindPath = "/rewinds/"

// report returns the server for the report of the period with the given index; nil if there is
// none.
func (r *rewinds) report(number string) *Server {
	n, err := strconv.Atoi(number)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err != nil || n < 0 || n >= len(r.list) {
		return nil
	}
	return r.list[n].report
}

// parseWish parses a page's request.
func parseWish(text []byte) (w *wish, err error) {
	w = &wish{}
	return w, json.Unmarshal(text, w)
}
