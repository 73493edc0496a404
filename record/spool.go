package record

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"fabricast/internal/invariants"
	"fabricast/internal/parquet"
	"fabricast/internal/snapshot"
)

// Spool writes a table whose rows come from several blocks that run in parallel. It sorts the rows
// by time and then by their other columns, so the order does not depend on the blocks. It keeps
// only those rows in memory that an earlier row may still precede, so its memory does not grow with
// the table.
type Spool[Row any] struct {
	time    func(*Row) int64
	compare func(a, b Row) int    // by time first
	waiting func(block int) int64 // see Waiting; nil if nothing can

	blocks []spoolBlock[Row]
	wanted atomic.Uint32 // counts the requests to all blocks to hand over their rows

	mutex sync.Mutex
	// rows handed over but not written
	held   []Row
	due    int     // rows held at which they are sorted and written
	handed []int64 // by block, ps: it will hand over no row before that time
	// Sorted rows, fewer than batch. The writer always gets batch rows at a time, so that the pages
	// of the file do not depend on the blocks.
	ready  []Row
	rows   int64
	file   *growing
	table  string // the path of the whole table
	writer *parquet.Table[Row]
	err    error
}

// spoolBlock holds the rows that a block has not handed over.
type spoolBlock[Row any] struct {
	rows []Row
	from int64 // ps: no row of an earlier time will come
	seen uint32
	_    [64]byte
}

// spoolRows is how many rows a block collects before it hands them over. spoolHeld is how many rows
// are held before they are sorted and written. No table depends on them; where invariants are checked
// they are small, so that small runs have many of these steps.
var spoolRows, spoolHeld = func() (rows, held int) {
	if invariants.Enabled {
		return 8, 32
	}
	return 4096, 1 << 16
}()

// NewSpool starts a table for the given number of blocks. compare orders rows, first by the time
// (ps) that the function time returns.
func NewSpool[Row any](
	f *Folder,
	table string,
	blocks int,
	time func(*Row) int64,
	compare func(a, b Row) int,
) (*Spool[Row], error) {
	file, err := f.newGrowing(f.temp, table)
	if err != nil {
		return nil, err
	}
	return &Spool[Row]{
		time: time, compare: compare, blocks: make([]spoolBlock[Row], blocks),
		handed: make([]int64, blocks), due: spoolHeld,
		file: file, table: filepath.Join(f.temp, table), writer: parquet.NewTable[Row](file),
	}, nil
}

// Waiting permits a block to add rows with times before its window, for events that have not been
// handled yet. earliest returns the earliest time (ps) of these. The block's own goroutine calls
// it.
func (s *Spool[Row]) Waiting(earliest func(block int) int64) { s.waiting = earliest }

// Add adds a row of a block. Its time must not be before the block's last Window, and what was waiting
// then.
func (s *Spool[Row]) Add(block int, row Row) {
	b := &s.blocks[block]
	if invariants.Enabled && s.time(&row) < b.from {
		panic("a row of a table comes after later ones")
	}
	b.rows = append(b.rows, row)
}

// Last returns the row that a block added last, which may be changed; nil if it has been handed
// over.
func (s *Spool[Row]) Last(block int) *Row {
	if b := &s.blocks[block]; len(b.rows) > 0 {
		return &b.rows[len(b.rows)-1]
	}
	return nil
}

// Window promises that the block will add no row with a time before begin (ps), other than rows for
// waiting events.
func (s *Spool[Row]) Window(block int, begin int64) {
	b := &s.blocks[block]
	wanted := s.wanted.Load()
	if asked := wanted != b.seen; asked || len(b.rows) >= spoolRows {
		b.seen = wanted
		s.take(block, begin, asked)
	}
}

// take collects a block's rows, and writes the complete ones if there are many. Only then, or if
// another block has asked for it, the block updates the time up to which its rows are complete,
// because finding the waiting events is slow.
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

// write writes all held rows with a time before until (ps), in order.
func (s *Spool[Row]) write(until int64) {
	slices.SortFunc(s.held, s.compare)
	n, _ := slices.BinarySearchFunc(s.held, until, func(r Row, until int64) int {
		if s.time(&r) < until {
			return -1
		}
		return 1
	})
	for _, row := range s.held[:n] {
		if s.ready = append(s.ready, row); len(s.ready) == batch {
			s.flush()
		}
	}
	s.held = append(s.held[:0], s.held[n:]...)
}

// flush passes the sorted rows to the file's writer.
func (s *Spool[Row]) flush() {
	if s.err == nil {
		s.err = s.writer.Write(s.ready)
	}
	s.rows += int64(len(s.ready))
	s.ready = s.ready[:0]
}

// Finish writes the remaining rows and closes the table. No block may be running.
func (s *Spool[Row]) Finish(metadata map[string]string) error {
	s.takeAll()
	s.write(1<<63 - 1)
	s.flush()
	for key, value := range metadata {
		s.writer.SetMetadata(key, value)
	}
	return errors.Join(s.err, s.writer.Close(), s.file.finish(s.table))
}

// Rows returns how many rows have been written.
func (s *Spool[Row]) Rows() int64 { return s.rows }

// Close closes the file without writing the remaining rows. After Finish it does nothing.
func (s *Spool[Row]) Close() { _ = s.file.file.Close() }

// takeAll takes over the rows of all blocks. No block may be running.
func (s *Spool[Row]) takeAll() {
	for i := range s.blocks {
		b := &s.blocks[i]
		s.held = append(s.held, b.rows...)
		b.rows = b.rows[:0]
	}
}

// State saves or restores the part of the table that has been written, between two windows. At that
// time the file is next to the checkpoints of the run.
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

// pack returns rows as a table.
func pack[Row any](rows []Row) []byte {
	var b bytes.Buffer
	w := parquet.NewTable[Row](&b)
	_, _ = w.Write(rows), w.Close() // to memory
	return b.Bytes()
}

// unpack returns the rows that pack has packed.
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
