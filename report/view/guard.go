package view

import (
	"net"
	"net/http"

	"fabricast/internal/panics"
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
// accepted. Panics of the handler end the process as those of other goroutines do.
func guarded(address net.Addr, next http.Handler) http.Handler {
	here := loopback(address.String())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		w.Header().Set("Cache-Control", "no-store")
		if here && !loopback(r.Host) {
			http.Error(w, "the report is for this machine only", http.StatusForbidden)
			return
		}
		panics.Guarded("request for a report", func() { next.ServeHTTP(w, r) })()
	})
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
