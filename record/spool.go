package record

import (
	"bytes"
	"cmp"
	"errors"
	"io"
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
	compare func(a, b Row) int    // order of rows, first by time
	waiting func(block int) int64 // see Waiting; nil if it has not been called

	blocks []spoolBlock[Row]
	wanted atomic.Uint32 // number of times that all partition blocks were requested to pass their rows

	mutex sync.Mutex
	// held contains the rows passed by partition blocks but not written
	held   []Row
	order  []spoolKey // of the held rows that are written, a buffer
	due    int        // number of held rows at which they are sorted and written
	handed []int64    // by partition block, ps: it will pass no row with an earlier time
	// ready contains sorted rows, fewer than batch. The writer always gets batch rows at once, so
	// that the pages of the file do not depend on the partition.
	ready  []Row
	rows   int64
	file   *growing
	table  string // path of the complete table
	writer rowWriter[Row]
	err    error
}

// rowWriter writes a table.
type rowWriter[Row any] interface {
	Write(rows []Row) error
	State(v *snapshot.Visitor)
	SetMetadata(key, value string)
	Close() error
}

// convertingWriter writes a table whose rows are shorter in memory.
type convertingWriter[Row, Out any] struct {
	*parquet.Table[Out]
	convert func(*Row) Out
	buffer  []Out
}

// Write implements rowWriter.
func (w *convertingWriter[Row, Out]) Write(rows []Row) error {
	w.buffer = w.buffer[:0]
	for i := range rows {
		w.buffer = append(w.buffer, w.convert(&rows[i]))
	}
	return w.Table.Write(w.buffer)
}

// spoolBlock holds the rows of a partition block that it has not passed to the Spool.
type spoolBlock[Row any] struct {
	rows []Row
	from int64 // ps: no row with an earlier time will be added
	seen uint32
	_    [64]byte
}

// spoolRows is the number of rows that a partition block collects before it passes them. spoolHeld
// is the number of held rows at which they are sorted and written. The table does not depend on
// these values. In builds that check invariants they are small, so that short runs exercise these
// steps.
var spoolRows, spoolHeld = func() (rows, held int) {
	if invariants.Enabled {
		return 8, 32
	}
	return 4096, 1 << 16
}()

// NewSpool returns a Spool of a table for the given number of partition blocks. time returns the
// time of a row (ps), and compare orders rows, first by time.
func NewSpool[Row any](
	f *Folder,
	table string,
	blocks int,
	time func(*Row) int64,
	compare func(a, b Row) int,
) (*Spool[Row], error) {
	return newSpool(f, table, blocks, time, compare, func(file io.Writer) rowWriter[Row] { return parquet.NewTable[Row](file) })
}

// NewSpoolAs is like NewSpool for a table of another row type: rows are converted when they are written.
func NewSpoolAs[Row, Out any](
	f *Folder,
	table string,
	blocks int,
	time func(*Row) int64,
	compare func(a, b Row) int,
	convert func(*Row) Out,
) (*Spool[Row], error) {
	return newSpool(f, table, blocks, time, compare, func(file io.Writer) rowWriter[Row] {
		return &convertingWriter[Row, Out]{Table: parquet.NewTable[Out](file), convert: convert}
	})
}

func newSpool[Row any](
	f *Folder,
	table string,
	blocks int,
	time func(*Row) int64,
	compare func(a, b Row) int,
	writer func(io.Writer) rowWriter[Row],
) (*Spool[Row], error) {
	file, err := f.newGrowing(f.temp, table)
	if err != nil {
		return nil, err
	}
	return &Spool[Row]{
		time: time, compare: compare, blocks: make([]spoolBlock[Row], blocks),
		handed: make([]int64, blocks), due: spoolHeld,
		file: file, table: filepath.Join(f.temp, table), writer: writer(file),
	}, nil
}

// Waiting permits a partition block to add rows with times before its simulation window, for
// pending events. earliest returns the earliest time (ps) of such a row. It is called by the
// goroutine of the block.
func (s *Spool[Row]) Waiting(earliest func(block int) int64) { s.waiting = earliest }

// Add adds a row of a partition block. The time of the row must not be before the begin of the last
// Window call of the block or, if earlier, the time of a pending event (see Waiting).
func (s *Spool[Row]) Add(block int, row Row) {
	b := &s.blocks[block]
	if invariants.Enabled && s.time(&row) < b.from {
		panic("a row of a table comes after later ones")
	}
	b.rows = append(b.rows, row)
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
	if asked := wanted != b.seen; asked || len(b.rows) >= spoolRows {
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
	s.held = append(s.held, b.rows...)
	b.rows = b.rows[:0]
	many := len(s.held) >= s.due
	if asked || many {
		if s.waiting != nil {
			begin = min(begin, s.waiting(block))
		}
		s.handed[block], b.from = begin, begin
	}
	if !many {
		return
	}
	s.write(slices.Min(s.handed))
	s.due = max(spoolHeld, 2*len(s.held))
	s.wanted.Add(1)
}

// spoolKey is the time (ps) of a held row, and its index.
type spoolKey struct {
	time int64
	row  int
}

// write writes all held rows with a time before until (ps), in order. It sorts their keys, because rows are
// large and few of them have the same time.
func (s *Spool[Row]) write(until int64) {
	s.order = s.order[:0]
	for i := range s.held {
		if at := s.time(&s.held[i]); at < until {
			s.order = append(s.order, spoolKey{at, i})
		}
	}
	slices.SortFunc(s.order, func(a, b spoolKey) int {
		if a.time != b.time {
			return cmp.Compare(a.time, b.time)
		}
		return s.compare(s.held[a.row], s.held[b.row])
	})
	for _, key := range s.order {
		if s.ready = append(s.ready, s.held[key.row]); len(s.ready) == batch {
			s.flush()
		}
	}
	left := s.held[:0]
	for i := range s.held {
		if s.time(&s.held[i]) >= until {
			left = append(left, s.held[i])
		}
	}
	s.held = left
}

// flush passes the rows in ready to the Parquet writer.
func (s *Spool[Row]) flush() {
	if s.err == nil {
		s.err = s.writer.Write(s.ready)
	}
	s.rows += int64(len(s.ready))
	s.ready = s.ready[:0]
}

// Finish writes the remaining rows and closes the table. No partition block may be running.
func (s *Spool[Row]) Finish(metadata map[string]string) error {
	s.takeAll()
	s.write(1<<63 - 1)
	s.flush()
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
		b := &s.blocks[i]
		s.held = append(s.held, b.rows...)
		b.rows = b.rows[:0]
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
	ready := v.Length(len(s.ready))
	var packed []byte
	if !v.Restores() {
		packed = pack(append(slices.Clone(s.ready), s.held...))
	}
	snapshot.List(v, &packed)
	if !v.Restores() || v.Err() != nil {
		return
	}
	rows, err := unpack[Row](packed)
	if err != nil || ready > len(rows) {
		v.Fail(errors.Join(err, errors.New("rows that wait to be written cannot be read")))
		return
	}
	s.ready, s.held = append(s.ready[:0], rows[:ready]...), append(s.held[:0], rows[ready:]...)
	s.due = max(spoolHeld, 2*len(s.held))
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
