package export

import (
	"fmt"
	"io"

	"fabricast/record"
)

// timelineCSV writes the timeline with the columns of its table.
func timelineCSV(r *record.Reader, to []io.Writer) error {
	if _, err := io.WriteString(to[0], "rank,begin_ps,end_ps,state,collective,step,peer\n"); err != nil {
		return err
	}
	return spans(r, func(s *record.Span) error {
		_, err := fmt.Fprintf(to[0], "%d,%d,%d,%s,%s,%d,%d\n", s.Rank, s.Begin, s.End, s.State, s.Collective, s.Step, s.Peer)
		return err
	})
}
