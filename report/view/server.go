// Package view serves reports to a browser, and keeps them up to date while a run is in progress.
//
//	/                the page
//	/data/manifest   the manifest of package data
//	/data/blob/NAME  its arrays, compressed by gzip
//	/data/events     server-sent events: progress of a run, a new manifest, the end of the server
//	/rewinds/        POST: requests to simulate a period of a run again, see Rewind
//	/rewinds/N/      all of these paths for the report of period N
//
// The server never opens a file named by a request: blob names are looked up in the report.
package view

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"fabricast/internal/panics"
	"fabricast/report/data"
	"fabricast/report/page"
)

// Server serves the report of some paths to browsers.
type Server struct {
	keeper   *keeper
	audience *audience
	rewinds  rewinds
	routes   *http.ServeMux
}

// New makes a server for a report of the paths (see data.Make). If patience is true, a path without
// a result is accepted. Other errors are those of data.Make.
func New(patience bool, paths ...string) (*Server, error) {
	s := &Server{keeper: &keeper{paths: paths, patience: patience}, audience: newAudience()}
	s.route()
	_, err := s.keeper.look()
	return s, err
}

// route registers the request handlers. Other requests get the status codes of http.ServeMux.
func (s *Server) route() {
	s.routes = http.NewServeMux()
	for pattern, answer := range map[string]http.HandlerFunc{
		"GET /{$}":                        s.page,
		"GET /data/manifest":              s.manifest,
		"GET /data/blob/{name}":           s.blob,
		"GET /data/events":                s.audience.attend,
		"POST " + rewindPath + "{$}":      s.rewind,
		rewindPath + "{number}/{rest...}": s.rewound,
	} {
		s.routes.HandleFunc(pattern, answer)
	}
}

// Rewind allows pages to request that periods of runs be simulated again, if the server listens on
// a loopback address. It must be called before Serve.
func (s *Server) Rewind(do Rewinder) { s.rewinds.do = do }

// Problems returns the problems listed in the report.
func (s *Server) Problems() []string { return s.keeper.current().report.Manifest.Problems }

// interval is the time between two checks for changes.
const interval = 500 * time.Millisecond

// farewell is the time that an ending server gives pages to read the last events.
const farewell = time.Second

// Limits on client requests.
const (
	requestTime   = 10 * time.Second // to send a request, from its first byte
	idleTime      = time.Minute      // between two requests on a connection
	longestHeader = 16 << 10         // bytes; net/http allows 4 KiB more
	longestBody   = 16 << 10         // bytes
)

// Serve answers requests on the listener until ctx ends, and then notifies open pages. It must be
// called only once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.rewinds.ctx = ctx
	if !loopback(l.Addr().String()) {
		s.rewinds.do = nil
	}
	web := &http.Server{
		Handler:        guarded(l.Addr(), s.routes),
		ReadTimeout:    requestTime,
		IdleTimeout:    idleTime,
		MaxHeaderBytes: longestHeader,
	}
	stopped := panics.Go("news of reports", func() {
		s.follow(ctx)
		s.rewinds.wait()
		s.takeLeave()
		last, enough := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer enough()
		if web.Shutdown(last) != nil {
			_ = web.Close() // disconnects clients that have not read their responses
		}
	})
	err := web.Serve(l)
	cancel()
	<-stopped
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// follow sends progress and notices of new reports to open pages until the context ends.
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

// tellNews notifies open pages that the manifest has changed.
func (s *Server) tellNews() { s.audience.tell(event{"manifest", []byte("{}")}) }

// takeLeave sends the final progress of runs to open pages, and notifies them that the server ends.
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

// rewound answers requests for the report of a period that was simulated again.
func (s *Server) rewound(w http.ResponseWriter, r *http.Request) {
	number := r.PathValue("number")
	report := s.rewinds.report(number)
	if report == nil {
		http.NotFound(w, r)
		return
	}
	http.StripPrefix(rewindPath+number, report.routes).ServeHTTP(w, r)
}

// rewind starts to simulate a period again. It rejects requests from pages of other sites.
func (s *Server) rewind(w http.ResponseWriter, r *http.Request) {
	if s.rewinds.do == nil {
		http.Error(w, "this server cannot simulate a period again", http.StatusMethodNotAllowed)
		return
	}
	if r.Header.Get("Origin") != "http://"+r.Host {
		http.Error(w, "only the page of the report may ask for that", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longestBody))
	if err != nil {
		status := http.StatusBadRequest
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), status)
		return
	}
	wish, err := parseWish(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, run := range s.keeper.current().report.Manifest.Runs {
		if run.ID == wish.Run && run.LookBack != nil {
			s.begin(w, run, wish)
			return
		}
	}
	http.Error(w, "found no run "+strconv.Quote(wish.Run)+" with checkpoints", http.StatusBadRequest)
}

func (s *Server) begin(w http.ResponseWriter, run *data.Run, wish *wish) {
	if err := wish.check(run.LookBack); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := s.rewinds.begin(run.Name, run.LookBack, wish, s.tellNews); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	s.tellNews()
	send(w, "application/json", []byte("{}"))
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	var text bytes.Buffer
	if err := page.Write(&text, page.Content{Title: s.keeper.current().report.Manifest.Title}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, "text/html; charset=utf-8", text.Bytes())
}

func (s *Server) manifest(w http.ResponseWriter, _ *http.Request) {
	m := *s.keeper.current().report.Manifest
	m.CanRewind, m.Rewinds = s.rewinds.do != nil, s.rewinds.all()
	text, err := m.JSON()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, "application/json", text)
}

// blob sends a compressed array; the page decompresses it.
func (s *Server) blob(w http.ResponseWriter, r *http.Request) {
	data, found := s.keeper.blob(r.PathValue("name"))
	if !found {
		http.NotFound(w, r)
		return
	}
	send(w, "application/octet-stream", data)
}

// send writes a complete response. It ignores clients that have disconnected.
func send(w http.ResponseWriter, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
