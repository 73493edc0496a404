package pageserver

import (
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Statuses of answers.
const (
	none       = 0 // no answer at all
	OK         = 200
	BadRequest = 400
	Forbidden  = 403
	NotFound   = 404
	BadMethod  = 405
	Conflict   = 409
	TooLarge   = 431
	Fault      = 500
	BadVersion = 505
)

var reasons = map[int]string{
	OK: "OK", BadRequest: "Bad Request", Forbidden: "Forbidden", NotFound: "Not Found",
	BadMethod: "Method Not Allowed", TooLarge: "Request Header Fields Too Large",
	Fault: "Internal Server Error", BadVersion: "HTTP Version Not Supported",
}

// dateForm is how HTTP writes times, which are those of Greenwich.
const dateForm = "Mon, 02 Jan 2006 15:04:05 GMT"

// Response is the answer to a request: one call of Send, Stream or Fail.
type Response struct {
	Gone   <-chan struct{} // closed when the client has gone
	fields strings.Builder

	conn     net.Conn
	bodyless bool // the client asked for the header only
}

// Set adds a header field. Neither name nor value may come from a client.
func (w *Response) Set(name, value string) { fmt.Fprintf(&w.fields, "%s: %s\r\n", name, value) }

// begin writes the header of the answer.
func (w *Response) begin(status int) error {
	_, err := fmt.Fprintf(
		w.conn, "HTTP/1.1 %d %s\r\nDate: %s\r\nConnection: close\r\n%s\r\n",
		status, reasons[status], time.Now().UTC().Format(dateForm), w.fields.String(),
	)
	return err
}

// Send answers with a body. A client that has gone is no error.
func (w *Response) Send(kind string, body []byte) { w.send(OK, kind, body) }

func (w *Response) send(status int, kind string, body []byte) {
	w.Set("Content-Type", kind)
	w.Set("Content-Length", fmt.Sprint(len(body)))
	if err := w.begin(status); err == nil && !w.bodyless {
		_, _ = w.conn.Write(body)
	}
}

// Fail answers that it cannot be done, and why.
func (w *Response) Fail(status int, why string) {
	if why == "" {
		why = reasons[status]
	}
	if status == BadMethod {
		w.Set("Allow", "GET, HEAD")
	}
	w.send(status, "text/plain; charset=utf-8", []byte(why+"\n"))
}

// Stream answers with a body that is written bit by bit, until the handler returns.
func (w *Response) Stream(kind string) (io.Writer, error) {
	w.Set("Content-Type", kind)
	err := w.begin(OK)
	if w.bodyless {
		return io.Discard, err
	}
	return w.conn, err
}
