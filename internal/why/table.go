package why

import (
	"io"

	"fabricast/internal/parquet"
	"fabricast/record"
)

// WriteTable writes the path as critical_path.parquet.
func (p *Path) WriteTable(w io.Writer) error {
	table := parquet.NewTable[record.PathSegment](w)
	for i := range p.Segments {
		s := &p.Segments[i]
		row := record.PathSegment{
			Rank: s.Rank, Cause: string(s.Cause), Begin: s.Begin, End: s.End, Source: -1, Destination: -1,
		}
		if m := s.Message; m != nil {
			row.Message, row.Source, row.Destination, row.Tag = m.Number, m.Source, m.Destination, m.Tag
			row.Bytes, row.Send, row.Collective = m.Bytes, m.Send, m.Collective
		}
		if err := table.Write([]record.PathSegment{row}); err != nil {
			return err
		}
	}
	return table.Close()
}
