// Package pageserver answers GET, HEAD and short POST requests of HTTP/1.1 (RFC 9112), one on each
// connection: enough for pages that a command shows to a browser. The standard library's net/http does far
// more, and with its TLS takes a sixth of the time of the first build of the command.
package pageserver

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"fabricast/internal/panics"
)

// Bounds of what a client can ask for.
const (
	headerTime = 10 * time.Second // until the whole request must be there
	lingerTime = 500 * time.Millisecond
	mostAfter  = 64 << 10 // bytes after the request, which are ignored
	longestNap = time.Second
)

// Handler answers a request. It is called on a goroutine of the connection.
type Handler func(w *Response, r *Request)

// Server answers requests on a listener.
type Server struct {
	handler Handler
	name    string // of the goroutines, for messages about panics

	mutex    sync.Mutex
	closing  bool
	listener net.Listener
	open     map[net.Conn]bool
	requests sync.WaitGroup // one for each open connection
}

// New makes a server. The name says what requests are for, in reports of panics.
func New(name string, h Handler) *Server {
	return &Server{handler: h, name: name, open: map[net.Conn]bool{}}
}

// Serve answers on the listener until Close, and then returns nil. It must be called once only.
// Where connections cannot be accepted for the moment, as for want of file descriptors, it tries
// again, a second later at the most.
func (s *Server) Serve(l net.Listener) error {
	if !s.begin(l) {
		return l.Close()
	}
	var nap time.Duration
	for {
		c, err := l.Accept()
		switch {
		case err == nil:
			nap = 0
			s.accept(c)
		case s.ended():
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default:
			nap = min(max(2*nap, 5*time.Millisecond), longestNap)
			time.Sleep(nap)
		}
	}
}

func (s *Server) begin(l net.Listener) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.listener = l
	return !s.closing
}

func (s *Server) ended() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.closing
}

// Close ends Serve. Requests that are being answered may take until the context ends; then their
// connections are cut off.
func (s *Server) Close(ctx context.Context) {
	s.mutex.Lock()
	s.closing = true
	if s.listener != nil {
		_ = s.listener.Close()
	}
	s.mutex.Unlock()
	answered := panics.Go("end of "+s.name, s.requests.Wait)
	select {
	case <-answered:
		return
	case <-ctx.Done():
	}
	s.mutex.Lock()
	for c := range s.open {
		_ = c.Close()
	}
	s.mutex.Unlock()
	<-answered
}

// accept answers on a connection, on a goroutine of its own.
func (s *Server) accept(c net.Conn) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closing {
		_ = c.Close()
		return
	}
	s.open[c] = true
	s.requests.Add(1)
	panics.Go(s.name, func() {
		defer s.requests.Done()
		defer s.forget(c)
		s.answer(c)
	})
}

func (s *Server) forget(c net.Conn) {
	_ = c.Close()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.open, c)
}

// answer reads a request and answers it.
func (s *Server) answer(c net.Conn) {
	_ = c.SetReadDeadline(time.Now().Add(headerTime))
	in, r, status := read(c)
	if status == none {
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	gone := make(chan struct{})
	rest := panics.Go("rest of "+s.name, func() {
		defer close(gone)
		_, _ = io.CopyN(io.Discard, in, mostAfter)
	})
	w := &Response{conn: c, Gone: gone}
	if status == OK {
		w.bodyless = r.head
		s.handler(w, r)
	} else {
		w.Fail(status, "")
	}
	// A connection with unread bytes that is closed is reset, and the client may lose the answer.
	if half, ok := c.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = c.SetReadDeadline(time.Now().Add(lingerTime))
		<-rest
	}
}
