package export

import (
	"fmt"
	"io"

	"fabricast/record"
)

var _ = register(40, Format{Name: "csv", Ending: ".csv", Files: one, write: timelineCSV})

// timelineCSV writes the timeline as CSV, with the columns of timeline.parquet.
func timelineCSV(r *record.Reader, to []io.Writer) error {
	if _, err := io.WriteString(to[0], "rank,begin_ps,end_ps,state,collective,step,peer\n"); err != nil {
		return err
	}
	return spans(r, func(s *record.Span) error {
		_, err := fmt.Fprintf(
			to[0], "%d,%d,%d,%s,%s,%d,%d\n", s.Rank, s.Begin, s.End, s.State, s.Collective, s.Step,
			s.Peer,
		)
		return err
	})
}
