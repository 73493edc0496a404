package browser

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy passes connections on to a site while it is there, and breaks them when it is not.
func proxy(t *testing.T, site string) (address string, there func(bool)) {
	t.Helper()
	u, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var mutex sync.Mutex
	passes := true
	var open []net.Conn
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", u.Host)
			mutex.Lock()
			if err != nil || !passes {
				_ = in.Close()
				mutex.Unlock()
				continue
			}
			open = append(open, in, out)
			mutex.Unlock()
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
		}
	}()
	return "http://" + l.Addr().String() + "/", func(yes bool) {
		mutex.Lock()
		defer mutex.Unlock()
		passes = yes
		for _, c := range open {
			_ = c.Close()
		}
		open = nil
	}
}
