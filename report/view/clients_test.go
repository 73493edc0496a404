package view

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dialed returns a connection to a site, closed at the end of the test.
func dialed(t *testing.T, site string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(site, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c.(*net.TCPConn)
}

// sent sends bytes to a site and returns the status of the response; "" if there is none.
func sent(t *testing.T, site, text string) string {
	t.Helper()
	c := dialed(t, site)
	_, _ = io.WriteString(c, text)
	_ = c.CloseWrite()
	line, _ := bufio.NewReader(c).ReadString('\n')
	_, status, _ := strings.Cut(line, " ")
	return status[:min(3, len(status))]
}

// TestWrongRequests checks that requests which no browser sends get an error status or no response,
// and never the report.
func TestWrongRequests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	runInto(t, dir)
	site := serveWith(t, func(context.Context, []string) error { return nil }, dir)
	f := func(text, want string) {
		t.Helper()
		if got := sent(t, site, text); got != want {
			t.Errorf("%.60q: %q, want %q", text, got, want)
		}
	}
	f("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "200")
	f("GET /?x=1 HTTP/1.1\nHost: localhost\n\n", "200")
	f("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", "200")
	f("GET / HTTP/1.0\r\n\r\n", "403")
	f("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "403")
	f("GET / HTTP/1.1\r\n\r\n", "400")
	f("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "400")
	f("GET / HTTP/1.1\r\nHost localhost\r\n\r\n", "400")
	f("GET /\r\n\r\n", "400")
	f("GET / HTTP/2.0\r\nHost: localhost\r\n\r\n", "505")
	f("PUT / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405")
	f("GET /rewinds/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "405")
	f("GET /rewinds/-1/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "404")
	const long = 10 * longestHeader
	f("GET /"+strings.Repeat("a", long), "431")
	f("GET / HTTP/1.1\r\nHost: localhost\r\n"+strings.Repeat("A: b\r\n", long/6), "431")
	f("GET / HTTP/1.1\r\nHost: localhost\r\n", "400") // truncated
	f("", "")
	const ask = "POST /rewinds/ HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
	f(ask+"Content-Length: 2\r\n\r\n{}", "400")
	f(ask+"\r\n", "400")
	f(ask+"Content-Length: 3\r\n\r\n{}", "400") // truncated
	f(ask+"Content-Length: -1\r\n\r\n", "400")
	big := strings.Repeat(" ", longestBody+1)
	f(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", ask, len(big), big), "413")
	f(fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", ask, len(big), big), "413")
}

// TestSlowAndSilentClients checks that clients that send no complete request, or never read, delay
// neither other clients nor the end of the server.
func TestSlowAndSilentClients(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	runInto(t, dir)
	site := serve(t, dir)
	const whole = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for i := range 150 {
		c := dialed(t, site)
		_ = c.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
		switch i % 3 {
		case 0:
			_, _ = io.WriteString(c, strings.Repeat(whole, 100))
		case 1:
			_, _ = io.WriteString(c, whole[:9])
		case 2:
			_, _ = io.WriteString(c, "GET /data/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
	}
	if got := sent(t, site, whole); got != "200" {
		t.Errorf("beside silent clients: %q", got)
	}
}

// TestPageLeaves checks that a page that has closed its connection is sent no more events, and that
// a HEAD request is never registered for events.
func TestPageLeaves(t *testing.T) {
	s, err := New(true, filepath.Join(t.TempDir(), "torus"))
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
	address := "http://" + l.Addr().String() + "/data/events"
	here := func() int {
		s.audience.mutex.Lock()
		defer s.audience.mutex.Unlock()
		return len(s.audience.members)
	}
	if a, err := http.Head(address); err != nil || a.StatusCode != http.StatusOK || here() > 0 {
		t.Errorf("HEAD: %v, %v, %d pages", a, err, here())
	}
	a, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	if here() != 1 {
		t.Errorf("%d pages", here())
	}
	a.Body.Close()
	for here() > 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
