// Package view serves reports to a browser, and keeps them up to date while a run goes on.
//
//	/                the page
//	/data/manifest   the manifest of package data
//	/data/blob/NAME  its arrays, compressed by gzip
//	/data/events     server-sent events: progress of a run, and that there is a new manifest
//
// Nothing of the file system is served: names of blobs are looked up among those of the report.
package view

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"fabricast/report/page"
)

// Server serves a report of some paths.
type Server struct {
	keeper   *keeper
	audience audience
}

// New makes a server of a report of the paths (see data.Make). With patience, it is no mistake if
// there is nothing at a path yet. Otherwise the error is that of data.Make.
func New(patience bool, paths ...string) (*Server, error) {
	s := &Server{keeper: &keeper{paths: paths, patience: patience}}
	_, err := s.keeper.look()
	return s, err
}

// Problems are those that the report tells of.
func (s *Server) Problems() []string { return s.keeper.current().report.Manifest.Problems }

// interval is how often the server looks for news.
const interval = 500 * time.Millisecond

// Serve answers on the listener until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	web := &http.Server{
		Handler:           s.guarded(l.Addr()),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.follow(ctx)
		_ = web.Close()
	}()
	err := web.Serve(l)
	cancel()
	<-stopped
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// follow tells the audience of news until the context ends.
func (s *Server) follow(ctx context.Context) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, p := range s.keeper.progress() {
			s.audience.tell(event{"progress", p})
		}
		if news, err := s.keeper.look(); news && err == nil {
			s.audience.tell(event{"manifest", []byte("{}")})
		}
	}
}

// handler answers requests.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /data/manifest", s.manifest)
	mux.HandleFunc("GET /data/blob/{name}", s.blob)
	mux.HandleFunc("GET /data/events", s.audience.attend)
	return mux
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.Write(w, page.Content{Title: s.keeper.current().report.Manifest.Title}) // who has gone does not care
}

func (s *Server) manifest(w http.ResponseWriter, _ *http.Request) {
	text, err := s.keeper.current().report.Manifest.JSON()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

// blob sends an array as it is kept: the page unpacks it, as it does in a file.
func (s *Server) blob(w http.ResponseWriter, r *http.Request) {
	data, ok := s.keeper.blob(r.PathValue("name"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(data)
}
