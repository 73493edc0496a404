package view

import (
	"net"
	"net/http"
	"sync"

	"fabricast/internal/panics"
	"fabricast/report/page"
)

// policy is the content security policy: the page may load data only from this server, and run only
// its own script.
var policy = sync.OnceValue(func() string {
	return "default-src 'none'; style-src 'unsafe-inline'; script-src " + page.ScriptSource() + "; " +
		"img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'"
})

// guarded protects the handler against other sites. A server that listens on a loopback address
// refuses requests for other host names. So pages of other sites cannot read the report even if
// their names resolve to this machine. A public address accepts any host name. A panic in the
// handler ends the process, like a panic in any other goroutine.
func guarded(address net.Addr, next http.Handler) http.Handler {
	here := loopback(address.String())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy())
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

// loopback reports whether a host name, with or without a port, denotes this machine.
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
