// Package view serves reports to a browser, and keeps them up to date while a run goes on.
//
//	/                the page
//	/data/manifest   the manifest of package data
//	/data/blob/NAME  its arrays, compressed by gzip
//	/data/events     server-sent events: progress of a run, a new manifest, the end of the server
//
// No file is served: names of blobs are looked up among those of the report.
package view

import (
	"bytes"
	"context"
	"net"
	"strings"
	"time"

	"fabricast/internal/pageserver"
	"fabricast/internal/panics"
	"fabricast/report/page"
)

// Server serves the report of some paths to browsers.
type Server struct {
	keeper   *keeper
	audience *audience
}

// New makes a server for a report of the paths (see data.Make). With patience, a path without a
// result is not an error. Other errors are those of data.Make.
func New(patience bool, paths ...string) (*Server, error) {
	s := &Server{keeper: &keeper{paths: paths, patience: patience}, audience: newAudience()}
	_, err := s.keeper.look()
	return s, err
}

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
	web := pageserver.New("request for a report", s.guarded(l.Addr()))
	stopped := panics.Go("news of reports", func() {
		s.follow(ctx)
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
			s.audience.tell(event{"manifest", []byte("{}")})
		}
	}
}

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
	switch r.Path {
	case "/":
		s.page(w)
	case "/data/manifest":
		s.manifest(w)
	case "/data/events":
		s.audience.attend(w)
	default:
		s.blob(w, r.Path)
	}
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
	text, err := s.keeper.current().report.Manifest.JSON()
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
