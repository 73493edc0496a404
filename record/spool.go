package record

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"fabricast/internal/invariants"
	"fabricast/internal/parquet"
	"fabricast/internal/snapshot"
)

// Spool writes a table whose rows come from several partition blocks, the parts of the network that
// are simulated in parallel. It sorts the rows by time and then by their other columns, so that the
// order does not depend on the partition. It writes a row as soon as no earlier row can follow, so
// that its memory does not grow with the table.
type Spool[Row any] struct {
	time    func(*Row) int64
	compare func(a, b *Row) int   // order of rows, first by time
	number  func(*Row) int32      // see ByNumber; nil if it has not been called
	waiting func(block int) int64 // see Waiting; nil if it has not been called

	blocks []spoolBlock[Row]
	wanted atomic.Uint32 // number of times that all partition blocks were requested to pass their rows

	mutex sync.Mutex
	// held contains the rows passed by partition blocks but not written, as they were passed
	held   [][]Row
	many   int                // number of held rows
	spare  [][]Row            // empty, for rows
	order  sorter[spoolPlace] // of held rows
	due    int                // number of held rows at which they are sorted and written
	handed []int64            // by partition block, ps: it will pass no row with an earlier time
	rows   int64
	file   *growing
	table  string // path of the complete table
	writer rowWriter[Row]
	err    error
}

// rowWriter writes a table.
type rowWriter[Row any] interface {
	// Add adds a row to those of the next Write.
	Add(row *Row)
	Write() error
	State(v *snapshot.Visitor)
	SetMetadata(key, value string)
	Close() error
}

// convertingWriter writes a table whose rows are others in memory.
type convertingWriter[Row, Out any] struct {
	*parquet.Table[Out]
	convert func(row *Row, to *Out)
	buffer  []Out
}

// Add implements rowWriter.
func (w *convertingWriter[Row, Out]) Add(row *Row) {
	n := len(w.buffer)
	w.buffer = slices.Grow(w.buffer, 1)[:n+1]
	w.convert(row, &w.buffer[n])
}

// Write implements rowWriter.
func (w *convertingWriter[Row, Out]) Write() error {
	err := w.Table.Write(w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

// spoolBlock holds the rows of a partition block that it has not passed to the Spool. They are in lists of
// limited size, because to let one grow takes copies.
type spoolBlock[Row any] struct {
	rows  []Row
	full  [][]Row // rows before these
	spare [][]Row // empty
	from  int64   // ps: no row with an earlier time will be added
	seen  uint32
	_     [64]byte
}

// firstRows is the size of a block's first list. Few blocks add many rows.
const firstRows = 64

func (b *spoolBlock[Row]) add(row *Row) {
	if len(b.rows) == cap(b.rows) {
		b.begin()
	}
	b.rows = append(b.rows, *row)
}

// many reports whether the block has collected enough rows to pass them.
func (b *spoolBlock[Row]) many() bool { return len(b.full) > 0 && cap(b.rows) >= spoolRows }

// begin begins another list.
func (b *spoolBlock[Row]) begin() {
	size := min(spoolRows, firstRows)
	if b.rows != nil {
		b.full = append(b.full, b.rows)
		size = min(spoolRows, 4*len(b.rows))
	}
	if n := len(b.spare); n > 0 {
		b.rows, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		b.rows = make([]Row, 0, size)
	}
}

// spoolRows is the number of rows that a partition block collects before it passes them. spoolHeld
// is the number of held rows at which they are sorted and written. The table does not depend on
// these values. In builds that check invariants they are small, so that short runs exercise these
// steps.
var spoolRows, spoolHeld = func() (rows, held int) {
	if invariants.Enabled {
		return 8, 32
	}
	return 4096, 1 << 14
}()

// NewSpool returns a Spool of a table for the given number of partition blocks. time returns the
// time of a row (ps), and compare orders rows, first by time.
func NewSpool[Row any](
	f *Folder,
	table string,
	blocks int,
	time func(*Row) int64,
	compare func(a, b *Row) int,
) (*Spool[Row], error) {
	return NewSpoolAs(f, table, blocks, time, compare, func(row, to *Row) { *to = *row })
}

// NewSpoolAs is like NewSpool for a table of another row type: convert sets all fields of a row when it is
// written.
func NewSpoolAs[Row, Out any](
	f *Folder,
	table string,
	blocks int,
	time func(*Row) int64,
	compare func(a, b *Row) int,
	convert func(row *Row, to *Out),
) (*Spool[Row], error) {
	file, err := f.newGrowing(f.temp, table)
	if err != nil {
		return nil, err
	}
	return &Spool[Row]{
		time: time, compare: compare, blocks: make([]spoolBlock[Row], blocks),
		handed: make([]int64, blocks), due: spoolHeld, file: file, table: filepath.Join(f.temp, table),
		writer: &convertingWriter[Row, Out]{Table: parquet.NewTable[Out](file), convert: convert},
	}, nil
}

// ByNumber tells the Spool a number of rows, which is not negative, by which compare orders those of one
// time. So they are sorted much faster if many have the same time. It must be called before the first row
// is added.
func (s *Spool[Row]) ByNumber(number func(*Row) int32) { s.number = number }

// Waiting permits a partition block to add rows with times before its simulation window, for
// pending events. earliest returns the earliest time (ps) of such a row. It is called by the
// goroutine of the block.
func (s *Spool[Row]) Waiting(earliest func(block int) int64) { s.waiting = earliest }

// Add adds a row of a partition block. The time of the row must not be before the begin of the last
// Window call of the block or, if earlier, the time of a pending event (see Waiting).
func (s *Spool[Row]) Add(block int, row *Row) {
	b := &s.blocks[block]
	if invariants.Enabled && s.time(row) < b.from {
		panic("a row of a table comes after later ones")
	}
	b.add(row)
}

// Last returns the row that a partition block has added last, which the caller may modify. It
// returns nil if the block has already passed the row.
func (s *Spool[Row]) Last(block int) *Row {
	if b := &s.blocks[block]; len(b.rows) > 0 {
		return &b.rows[len(b.rows)-1]
	}
	return nil
}

// Window starts a simulation window of a partition block. After it, the block adds no row with a
// time before begin (ps), except rows for pending events (see Waiting).
func (s *Spool[Row]) Window(block int, begin int64) {
	b := &s.blocks[block]
	wanted := s.wanted.Load()
	if asked := wanted != b.seen; asked || b.many() {
		b.seen = wanted
		s.take(block, begin, asked)
	}
}

// take collects the rows of a partition block. If many rows are held, it writes those that no other
// row can precede. The time before which the block will pass no more rows is updated only in this
// case or on request (asked), because finding the pending events is slow.
func (s *Spool[Row]) take(block int, begin int64, asked bool) {
	b := &s.blocks[block]
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.hold(b)
	full := s.many >= s.due
	if asked || full {
		if s.waiting != nil {
			begin = min(begin, s.waiting(block))
		}
		s.handed[block], b.from = begin, begin
	}
	if !full {
		return
	}
	s.write(slices.Min(s.handed))
	s.due = max(spoolHeld, 2*s.many)
	s.wanted.Add(1)
}

// hold takes over the rows of a partition block, which gets room for others.
func (s *Spool[Row]) hold(b *spoolBlock[Row]) {
	for _, rows := range append(b.full, b.rows) {
		if len(rows) > 0 {
			s.held = append(s.held, rows)
			s.many += len(rows)
		}
	}
	for range b.full {
		if n := len(s.spare); n > 0 {
			b.spare, s.spare = append(b.spare, s.spare[n-1]), s.spare[:n-1]
		}
	}
	b.full, b.rows = b.full[:0], s.empty()
}

// empty returns room for rows; nil if none is left over.
func (s *Spool[Row]) empty() []Row {
	n := len(s.spare)
	if n == 0 {
		return nil
	}
	rows := s.spare[n-1]
	s.spare = s.spare[:n-1]
	return rows
}

// spoolPlace is the place of a held row.
type spoolPlace struct{ list, row int32 }

func (s *Spool[Row]) at(p spoolPlace) *Row { return &s.held[p.list][p.row] }

// write writes held rows with a time before until (ps), in order: batch rows at once, so that the pages of the
// file do not depend on the partition. The rest of them is held until the end. It sorts places, because rows
// are large and few of them have the same time.
func (s *Spool[Row]) write(until int64) {
	s.order.reset()
	for l, rows := range s.held {
		for i := range rows {
			if at := s.time(&rows[i]); at < until {
				number := int32(0)
				if s.number != nil {
					number = s.number(&rows[i])
				}
				s.order.add(at, number, spoolPlace{int32(l), int32(i)})
			}
		}
	}
	places := s.order.sort(func(a, b spoolPlace) int { return s.compare(s.at(a), s.at(b)) })
	for len(places) >= batch || len(places) > 0 && until == forever {
		n := min(len(places), batch)
		s.writeRows(places[:n])
		places = places[n:]
	}
	s.keep(places, until)
}

// keep removes the held rows with a time before until (ps), but for those at some places.
func (s *Spool[Row]) keep(places []sorted[spoolPlace], until int64) {
	left, empty := spoolBlock[Row]{spare: s.spare}, [][]Row(nil)
	for _, p := range places {
		left.add(s.at(p.of))
	}
	s.many = len(places)
	kept := s.held[:0]
	for _, rows := range s.held {
		late := s.late(rows, until)
		s.many += late
		if late == len(rows) {
			kept = append(kept, rows)
			continue
		}
		for i := 0; late > 0; i++ {
			if s.time(&rows[i]) >= until {
				left.add(&rows[i])
				late--
			}
		}
		if cap(rows) >= spoolRows {
			empty = append(empty, rows[:0])
		}
	}
	if len(left.rows) > 0 {
		left.full = append(left.full, left.rows)
	}
	s.held, s.spare = append(kept, left.full...), append(left.spare, empty...)
}

// late returns the number of rows with a time of at least until (ps).
func (s *Spool[Row]) late(rows []Row, until int64) (n int) {
	for i := range rows {
		if s.time(&rows[i]) >= until {
			n++
		}
	}
	return n
}

// forever is after the time of any row.
const forever = 1<<63 - 1

// writeRows passes rows to the Parquet writer.
func (s *Spool[Row]) writeRows(places []sorted[spoolPlace]) {
	for _, p := range places {
		s.writer.Add(s.at(p.of))
	}
	if err := s.writer.Write(); s.err == nil {
		s.err = err
	}
	s.rows += int64(len(places))
}

// Finish writes the remaining rows and closes the table. No partition block may be running.
func (s *Spool[Row]) Finish(metadata map[string]string) error {
	s.takeAll()
	s.write(forever)
	for key, value := range metadata {
		s.writer.SetMetadata(key, value)
	}
	return errors.Join(s.err, s.writer.Close(), s.file.finish(s.table))
}

// Rows returns the number of rows written.
func (s *Spool[Row]) Rows() int64 { return s.rows }

// Close closes the file without writing the remaining rows. After Finish it has no effect.
func (s *Spool[Row]) Close() { _ = s.file.file.Close() }

// takeAll collects the rows of all partition blocks. No block may be running.
func (s *Spool[Row]) takeAll() {
	for i := range s.blocks {
		s.hold(&s.blocks[i])
	}
}

// State saves or restores the table written so far and the rows in memory. It must be called
// between two simulation windows. Saving moves the file next to the checkpoints of the run.
func (s *Spool[Row]) State(v *snapshot.Visitor) {
	if s.takeAll(); s.err != nil {
		v.Fail(s.err)
	}
	s.writer.State(v)
	s.file.state(v)
	snapshot.Value(v, &s.rows)
	var packed []byte
	if !v.Restores() {
		packed = pack(slices.Concat(s.held...))
	}
	snapshot.List(v, &packed)
	if !v.Restores() || v.Err() != nil {
		return
	}
	rows, err := unpack[Row](packed)
	if err != nil {
		v.Fail(fmt.Errorf("rows that wait to be written cannot be read: %w", err))
		return
	}
	s.held, s.many = [][]Row{rows}, len(rows)
	s.due = max(spoolHeld, 2*s.many)
}

// pack encodes rows as a Parquet file in memory.
func pack[Row any](rows []Row) []byte {
	var b bytes.Buffer
	w := parquet.NewTable[Row](&b)
	_, _ = w.Write(rows), w.Close() // writing to memory does not fail
	return b.Bytes()
}

// unpack decodes rows that pack has encoded.
func unpack[Row any](packed []byte) (rows []Row, err error) {
	f, err := parquet.Open(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, err
	}
	for row, err := range parquet.Rows[Row](f) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
