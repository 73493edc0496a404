package view

import (
	"net"

	"fabricast/internal/pageserver"
	"fabricast/report/page"
)

// policy is the content security policy: the page may load only what this server sends, and run only
// its own script.
var policy = "default-src 'none'; style-src 'unsafe-inline'; script-src " + page.ScriptSource() + "; " +
	"img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'"

// guarded wraps the handler with protection against other sites. A server that listens on a
// loopback address refuses requests for other host names, so pages of other sites cannot read the
// report even if their names resolve to this machine. On a public address any host name is
// accepted.
func (s *Server) guarded(address net.Addr) pageserver.Handler {
	return func(w *pageserver.Response, r *pageserver.Request) {
		w.Set("Content-Security-Policy", policy)
		w.Set("X-Content-Type-Options", "nosniff")
		w.Set("Cross-Origin-Resource-Policy", "same-origin")
		w.Set("Cache-Control", "no-store")
		if loopback(address.String()) && !loopback(r.Host) {
			w.Fail(pageserver.Forbidden, "the report is for this machine only")
			return
		}
		s.answer(w, r)
	}
}

// loopback reports whether a host name, with or without a port, means this machine itself.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
