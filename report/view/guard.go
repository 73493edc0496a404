package view

import (
	"net"
	"net/http"
)

// policy lets the page load nothing but what this server sends.
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guarded answers only those who ask for the address listened on: the pages of other sites, whose names
// may be made to point here, learn nothing. On an address of the network any name will do.
func (s *Server) guarded(address net.Addr) http.Handler {
	inner := s.handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if loopback(address.String()) && !loopback(r.Host) {
			http.Error(w, "the report is for this machine only", http.StatusForbidden)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// loopback tells whether a host, with or without a port, is this machine's own.
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
