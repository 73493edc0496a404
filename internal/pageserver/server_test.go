package pageserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// started is a server on this machine for the time of a test.
func started(t *testing.T, h Handler) (address string, s *Server) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = New("request of a test", h)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.Close(ctx)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), s
}

var body = bytes.Repeat([]byte{'x'}, 5_000_000)

// echo sends a body of as many bytes as the path says.
func echo(w *Response, r *Request) {
	var n int
	if _, err := fmt.Sscanf(r.Path, "/%d", &n); err != nil || n > len(body) {
		w.Fail(NotFound, "")
		return
	}
	w.Send("application/octet-stream", body[:n])
}

// TestClientsUnderstand has the standard library's client ask, many at once.
func TestClientsUnderstand(t *testing.T) {
	address, _ := started(t, echo)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			n := i * i * 100
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				q, _ := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://%s/%d?x=1", address, n), nil)
				a, err := http.DefaultClient.Do(q)
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(a.Body)
				a.Body.Close()
				want := n
				if method == http.MethodHead {
					want = 0
				}
				if err != nil || a.StatusCode != OK || a.ContentLength != int64(n) || len(body) != want {
					t.Errorf("%s of %d: %d, %d of %d bytes, %v", method, n, a.StatusCode, len(body), a.ContentLength, err)
				}
			}
		})
	}
	all.Wait()
}

// ask sends bytes and returns the first line of what comes back.
func ask(t *testing.T, address, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, text)
	_ = c.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(c)
	line, _, _ := strings.Cut(string(answer), "\r\n")
	return line
}

func TestWrongRequests(t *testing.T) {
	address, _ := started(t, echo)
	f := func(text, want string) {
		t.Helper()
		if got := ask(t, address, text); got != want {
			t.Errorf("%.60q: %q, want %q", text, got, want)
		}
	}
	f("GET /5 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK")
	f("GET /5 HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK")
	f("GET /5 HTTP/1.1\nHost: a\n\n", "HTTP/1.1 200 OK")
	f("GET /5 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK")
	f("GET /none HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 404 Not Found")
	f("GET /5 HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request")
	f("GET /5 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "HTTP/1.1 400 Bad Request")
	f("GET /5 HTTP/1.1\r\nHost a\r\n\r\n", "HTTP/1.1 400 Bad Request")
	f("GET http://a/5 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 Bad Request")
	f("GET /5\r\n\r\n", "HTTP/1.1 400 Bad Request")
	f("GET /5 HTTP/2.0\r\nHost: a\r\n\r\n", "HTTP/1.1 505 HTTP Version Not Supported")
	f("PUT /5 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 405 Method Not Allowed")
	f("POST /5 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200 OK")
	f("POST /5 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab", "") // cut off
	f("POST /5 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 400 Bad Request")
	f("POST /5 HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400 Bad Request")
	f(
		"POST /5 HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n",
		"HTTP/1.1 431 Request Header Fields Too Large",
	)
	f(
		fmt.Sprintf("POST /5 HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", longestRequest, body[:longestRequest]),
		"HTTP/1.1 431 Request Header Fields Too Large",
	)
	f("GET /"+strings.Repeat("5", 2*longestRequest), "HTTP/1.1 431 Request Header Fields Too Large")
	f(
		"GET /5 HTTP/1.1\r\nHost: a\r\n"+strings.Repeat("A: b\r\n", longestRequest),
		"HTTP/1.1 431 Request Header Fields Too Large",
	)
	f("GET /5 HTTP/1.1\r\nHost: a\r\n", "") // cut off
	f("", "")
}

// FuzzParse demands of any bytes that a request comes out of them only if they have the end of a
// header, and then with a path.
func FuzzParse(f *testing.F) {
	f.Add([]byte("GET /data?x HTTP/1.1\r\nHost: localhost:80\r\n\r\n"))
	f.Add([]byte("HEAD / HTTP/1.0\r\nA:\r\n b\r\n\r\n"))
	f.Add([]byte("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("GET  / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, r, status := read(bytes.NewReader(text))
		if (status == OK) != (r != nil) || reasons[status] == "" && status != none {
			t.Errorf("status %d, request %+v", status, r)
		}
		if r != nil && (r.Path == "" || r.Path[0] != '/' || strings.ContainsAny(r.Path, " ?\n") ||
			!bytes.Contains(bytes.ReplaceAll(text, []byte("\r"), nil), []byte("\n\n"))) {
			t.Errorf("%q is taken for a request of %q", text, r.Path)
		}
	})
}

// TestSlowAndSilentClients: clients that never ask or never read hold up nobody, nor the end.
func TestSlowAndSilentClients(t *testing.T) {
	address, s := started(t, echo)
	for range 200 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if rand.IntN(2) == 0 {
			_, _ = io.WriteString(c, "GET /5000000 HTTP/1.1\r\nHost: a\r\n\r\n")
		} else {
			_, _ = io.WriteString(c, "GET /5 HT")
		}
	}
	if got := ask(t, address, "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n"); got != "HTTP/1.1 200 OK" {
		t.Errorf("beside silent clients: %q", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.Close(ctx) // returns
}

// TestStream: what is written comes at once, a client that leaves is noticed, and Close waits for
// those who are being answered.
func TestStream(t *testing.T) {
	left, more := make(chan bool), make(chan bool)
	address, s := started(t, func(w *Response, r *Request) {
		out, err := w.Stream("text/plain")
		if err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(out, "first\n")
		if r.Path == "/left" {
			<-w.Gone
			left <- true
			return
		}
		<-more
		_, _ = io.WriteString(out, "last\n")
	})
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, "GET /left HTTP/1.1\r\nHost: a\r\n\r\n")
	for in := bufio.NewReader(c); ; {
		if line, err := in.ReadString('\n'); line == "first\n" {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	<-left
	a, err := http.Get("http://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	closed := make(chan bool)
	go func() {
		s.Close(context.Background())
		close(closed)
	}()
	for {
		if c, err := net.Dial("tcp", address); err != nil {
			break // it listens no more
		} else {
			c.Close()
		}
	}
	select {
	case <-closed:
		t.Error("closed before all were answered")
	case <-time.After(10 * time.Millisecond):
	}
	more <- true
	if text, err := io.ReadAll(a.Body); err != nil || string(text) != "first\nlast\n" {
		t.Errorf("%q, %v", text, err)
	}
	<-closed
}

// tired is a listener that fails at first.
type tired struct {
	net.Listener
	failures int
}

func (l *tired) Accept() (net.Conn, error) {
	if l.failures--; l.failures >= 0 {
		return nil, errors.New("too many open files")
	}
	return l.Listener.Accept()
}

func TestAcceptIsTriedAgain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := New("request of a test", echo)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(&tired{l, 3}) }()
	if got := ask(t, l.Addr().String(), "GET /5 HTTP/1.1\r\nHost: a\r\n\r\n"); got != "HTTP/1.1 200 OK" {
		t.Errorf("%q", got)
	}
	s.Close(context.Background())
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
