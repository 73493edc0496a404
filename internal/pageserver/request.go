package pageserver

import (
	"bufio"
	"errors"
	"io"
	"net/textproto"
	"strconv"
	"strings"
)

// Request is what a client asks for.
type Request struct {
	Path string // as it was written, without what follows a question mark; it begins with /
	Host string // as in the Host field, with the port if there is one
	Post bool   // the client sends Body; else it only reads
	Body []byte
	// Origin is the site of the page that asks, as in https://example.org; "" if it is no page.
	Origin string
	head   bool
}

// longestRequest bounds the request line, the header fields and the body together, in bytes.
const longestRequest = 16 << 10

// read reads a request, and returns it with status OK, or the status that says what is wrong with
// it; none if the client has left, or is too slow. What follows the request can be read from rest.
func read(c io.Reader) (rest *bufio.Reader, r *Request, status int) {
	limited := &io.LimitedReader{R: c, N: longestRequest}
	in := bufio.NewReader(limited)
	r, status = parse(textproto.NewReader(in))
	if status == OK && r.Post {
		if _, err := io.ReadFull(in, r.Body); err != nil {
			r, status = nil, none
		}
	}
	if status == none && limited.N <= 0 {
		status = TooLarge
	}
	limited.N = mostAfter
	return in, r, status
}

func parse(in *textproto.Reader) (*Request, int) {
	line, err := in.ReadLine()
	if err != nil {
		return nil, none
	}
	method, rest, _ := strings.Cut(line, " ")
	target, version, ok := strings.Cut(rest, " ")
	if !ok || method == "" || !strings.HasPrefix(target, "/") || strings.ContainsAny(version, " \t") {
		return nil, BadRequest
	}
	if version != "HTTP/1.1" && version != "HTTP/1.0" {
		return nil, BadVersion
	}
	fields, err := in.ReadMIMEHeader()
	var malformed textproto.ProtocolError
	switch {
	case errors.As(err, &malformed):
		return nil, BadRequest
	case err != nil:
		return nil, none
	}
	hosts := fields["Host"]
	if len(hosts) > 1 || len(hosts) == 0 && version == "HTTP/1.1" {
		return nil, BadRequest
	}
	r := &Request{head: method == "HEAD", Post: method == "POST", Origin: fields.Get("Origin")}
	switch {
	case r.Post:
		length, err := strconv.ParseUint(fields.Get("Content-Length"), 10, 32)
		if err != nil {
			return nil, BadRequest
		}
		if length > longestRequest {
			return nil, TooLarge
		}
		r.Body = make([]byte, length)
	case method != "GET" && method != "HEAD":
		return nil, BadMethod
	}
	r.Path, _, _ = strings.Cut(target, "?")
	if len(hosts) == 1 {
		r.Host = hosts[0]
	}
	return r, OK
}
