// Package view serves reports to a browser, and keeps them up to date while a run goes on.
//
//	/                the page
//	/data/manifest   the manifest of package data
//	/data/blob/NAME  its arrays, compressed by gzip
//	/data/events     server-sent events: progress of a run, a new manifest, the end of the server
//	/rewinds/        POST: a period of a run is to be simulated again, see Rewind
//	/rewinds/N/      the same as all of this, for the report of such a period
//
// No file is served: names of blobs are looked up among those of the report.
package view

import (
	"bytes"
	"context"
	"net"
	"strconv"
	"strings"
	"time"

	"fabricast/internal/pageserver"
	"fabricast/internal/panics"
	"fabricast/report/data"
	"fabricast/report/page"
)

// Server serves the report of some paths to browsers.
type Server struct {
	keeper   *keeper
	audience *audience
	rewinds  rewinds
}

// New makes a server for a report of the paths (see data.Make). With patience, a path without a
// result is not an error. Other errors are those of data.Make.
func New(patience bool, paths ...string) (*Server, error) {
	s := &Server{keeper: &keeper{paths: paths, patience: patience}, audience: newAudience()}
	_, err := s.keeper.look()
	return s, err
}

// Rewind lets pages ask for periods of runs to be simulated again, if the server listens on a
// loopback address. It must be called before Serve.
func (s *Server) Rewind(do Rewinder) { s.rewinds.do = do }

// Problems lists the problems that the report names.
func (s *Server) Problems() []string { return s.keeper.current().report.Manifest.Problems }

// interval is how often the server checks for changes.
const interval = 500 * time.Millisecond

// farewell is how long the server waits for pages to read the last events when it ends.
const farewell = time.Second

// Serve answers requests on the listener until the context ends, and then tells open pages. It must
// be called only once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.rewinds.ctx = ctx
	if !loopback(l.Addr().String()) {
		s.rewinds.do = nil
	}
	web := pageserver.New("request for a report", s.guarded(l.Addr()))
	stopped := panics.Go("news of reports", func() {
		s.follow(ctx)
		s.rewinds.wait()
		s.takeLeave()
		last, enough := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer enough()
		web.Close(last)
	})
	err := web.Serve(l)
	cancel()
	<-stopped
	return err
}

// follow sends progress and news of new reports to open pages until the context ends.
func (s *Server) follow(ctx context.Context) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		s.tellProgress()
		if news, err := s.keeper.look(); news && err == nil {
			s.tellNews()
		}
	}
}

// tellNews has open pages ask for the manifest.
func (s *Server) tellNews() { s.audience.tell(event{"manifest", []byte("{}")}) }

// takeLeave sends the final progress of runs to open pages, and that the server ends.
func (s *Server) takeLeave() {
	s.tellProgress()
	s.audience.tell(event{"end", []byte("{}")})
	close(s.audience.over)
}

func (s *Server) tellProgress() {
	for _, p := range s.keeper.progress() {
		s.audience.tell(event{"progress", p})
	}
}

// answer routes requests to the page, the manifest, blobs and events.
func (s *Server) answer(w *pageserver.Response, r *pageserver.Request) {
	if r.Post {
		s.rewind(w, r)
		return
	}
	s.read(w, r.Path)
}

func (s *Server) read(w *pageserver.Response, path string) {
	report, rest := s.rewinds.at(path)
	switch {
	case report != nil:
		report.read(w, rest)
	case path == "/":
		s.page(w)
	case path == "/data/manifest":
		s.manifest(w)
	case path == "/data/events":
		s.audience.attend(w)
	default:
		s.blob(w, path)
	}
}

// rewind begins to simulate a period again. A page of another site must not ask for that.
func (s *Server) rewind(w *pageserver.Response, r *pageserver.Request) {
	if r.Path != rewindPath || s.rewinds.do == nil {
		w.Fail(pageserver.BadMethod, "")
		return
	}
	if r.Origin != "http://"+r.Host {
		w.Fail(pageserver.Forbidden, "only the page of the report may ask for that")
		return
	}
	wish, err := parseWish(r.Body)
	if err != nil {
		w.Fail(pageserver.BadRequest, err.Error())
		return
	}
	for _, run := range s.keeper.current().report.Manifest.Runs {
		if run.ID == wish.Run && run.LookBack != nil {
			s.begin(w, run, wish)
			return
		}
	}
	w.Fail(pageserver.BadRequest, "found no run "+strconv.Quote(wish.Run)+" with checkpoints")
}

func (s *Server) begin(w *pageserver.Response, run *data.Run, wish *wish) {
	if err := wish.check(run.LookBack); err != nil {
		w.Fail(pageserver.BadRequest, err.Error())
		return
	}
	if err := s.rewinds.begin(run.Name, run.LookBack, wish, s.tellNews); err != nil {
		w.Fail(pageserver.Conflict, err.Error())
		return
	}
	s.tellNews()
	w.Send("application/json", []byte("{}"))
}

func (s *Server) page(w *pageserver.Response) {
	var text bytes.Buffer
	if err := page.Write(&text, page.Content{Title: s.keeper.current().report.Manifest.Title}); err != nil {
		w.Fail(pageserver.Fault, err.Error())
		return
	}
	w.Send("text/html; charset=utf-8", text.Bytes())
}

func (s *Server) manifest(w *pageserver.Response) {
	m := *s.keeper.current().report.Manifest
	m.CanRewind, m.Rewinds = s.rewinds.do != nil, s.rewinds.all()
	text, err := m.JSON()
	if err != nil {
		w.Fail(pageserver.Fault, err.Error())
		return
	}
	w.Send("application/json", text)
}

// blob sends an array still compressed; the page unpacks it.
func (s *Server) blob(w *pageserver.Response, path string) {
	name, ok := strings.CutPrefix(path, "/data/blob/")
	data, found := s.keeper.blob(name)
	if !ok || !found {
		w.Fail(pageserver.NotFound, "")
		return
	}
	w.Send("application/octet-stream", data)
}
