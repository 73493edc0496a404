package export

import (
	"fmt"
	"io"

	"fabricast/record"
)

var _ = register(20, Format{Name: "chrome", Ending: ".json", Files: one, write: chrome})

// micros formats a time in ps as microseconds, without rounding.
func micros(ps int64) string { return fmt.Sprintf("%d.%06d", ps/1e6, ps%1e6) }

// chrome writes JSON in Chrome's trace event format: a complete event for each span, and a flow for
// each message.
func chrome(r *record.Reader, to []io.Writer) error {
	w := to[0]
	separator := "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
	emit := func(format string, args ...any) error {
		_, err := fmt.Fprintf(w, separator+format, args...)
		separator = ",\n"
		return err
	}
	n, err := ranks(r)
	if err != nil {
		return err
	}
	for rank := range n {
		err := emit(`{"ph": "M", "pid": 0, "tid": %d, "name": "thread_name", `+
			`"args": {"name": "rank %d"}}`, rank, rank)
		if err != nil {
			return err
		}
	}
	err = spans(r, func(s *record.Span) error {
		return emit(
			`{"ph": "X", "pid": 0, "tid": %d, "ts": %s, "dur": %s, "name": %q, "cat": %q, `+
				`"args": {"peer": %d, "step": %d}}`,
			s.Rank, micros(s.Begin), micros(s.End-s.Begin), name(s), s.State, s.Peer, s.Step,
		)
	})
	if err != nil {
		return err
	}
	err = messages(r, func(i int, m *record.Message) error {
		err := emit(
			`{"ph": "s", "pid": 0, "tid": %d, "ts": %s, "id": %d, "name": "message", `+
				`"cat": "message", "args": {"bytes": %d, "tag": %d}}`,
			m.Source, micros(m.Send), i, m.Bytes, m.Tag,
		)
		if err != nil {
			return err
		}
		return emit(
			`{"ph": "f", "bp": "e", "pid": 0, "tid": %d, "ts": %s, "id": %d, "name": "message", "cat": "message"}`,
			m.Destination, micros(m.Delivery), i,
		)
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}
