package record

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
)

// Spool writes a table whose rows come from several blocks that run in parallel, in the order of
// a time and then of all that is in them. It holds back only rows that others may still come before, so its
// memory does not grow with the table.
type Spool[Row any] struct {
	time    func(*Row) int64
	compare func(a, b Row) int // by time first

	blocks []spoolBlock[Row]
	wanted atomic.Uint32 // counts how often all blocks were asked to hand over

	mutex  sync.Mutex
	held   []Row
	due    int     // rows held at which they are sorted and written
	handed []int64 // by block: it holds no row before that time
	rows   int64
	file   *os.File
	writer *parquet.GenericWriter[Row]
	err    error
}

// spoolBlock is what a block has not handed over.
type spoolBlock[Row any] struct {
	rows []Row
	seen uint32
	_    [64]byte
}

// spoolRows is how many rows a block keeps, and spoolHeld how many are held back, before something is done about it.
const (
	spoolRows = 4096
	spoolHeld = 1 << 16
)

// NewSpool begins a table. Compare orders rows, by time (ps) first.
func NewSpool[Row any](f *Folder, table string, blocks int, time func(*Row) int64, compare func(a, b Row) int) (*Spool[Row], error) {
	file, err := os.Create(filepath.Join(f.temp, table))
	if err != nil {
		return nil, err
	}
	return &Spool[Row]{
		time: time, compare: compare, blocks: make([]spoolBlock[Row], blocks), handed: make([]int64, blocks), due: spoolHeld,
		file: file, writer: parquet.NewGenericWriter[Row](file, parquet.Compression(compression), parquet.MaxRowsPerRowGroup(groupRows)),
	}, nil
}

// Add takes a row of a block, whose time is not before the block's last Window.
func (s *Spool[Row]) Add(block int, row Row) {
	b := &s.blocks[block]
	b.rows = append(b.rows, row)
}

// Last is the row that a block added last; nil if it has been handed over. It may be changed.
func (s *Spool[Row]) Last(block int) *Row {
	if b := &s.blocks[block]; len(b.rows) > 0 {
		return &b.rows[len(b.rows)-1]
	}
	return nil
}

// Window tells that the block will add no row before a time (ps).
func (s *Spool[Row]) Window(block int, begin int64) {
	b := &s.blocks[block]
	if wanted := s.wanted.Load(); len(b.rows) >= spoolRows || wanted != b.seen {
		b.seen = wanted
		s.take(block, begin)
	}
}

// take takes over a block's rows, and writes what is complete if there is much.
func (s *Spool[Row]) take(block int, begin int64) {
	b := &s.blocks[block]
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.held = append(s.held, b.rows...)
	b.rows = b.rows[:0]
	s.handed[block] = begin
	if len(s.held) < s.due {
		return
	}
	s.write(slices.Min(s.handed))
	s.due = max(spoolHeld, 2*len(s.held))
	s.wanted.Add(1)
}

// write writes the rows before a time.
func (s *Spool[Row]) write(until int64) {
	slices.SortFunc(s.held, s.compare)
	n, _ := slices.BinarySearchFunc(s.held, until, func(r Row, until int64) int {
		if s.time(&r) < until {
			return -1
		}
		return 1
	})
	_, err := s.writer.Write(s.held[:n])
	s.err = errors.Join(s.err, err)
	s.rows += int64(n)
	s.held = append(s.held[:0], s.held[n:]...)
}

// Finish writes the rest; no block may be running.
func (s *Spool[Row]) Finish(metadata map[string]string) error {
	for i := range s.blocks {
		s.held = append(s.held, s.blocks[i].rows...)
	}
	s.write(1<<63 - 1)
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		s.writer.SetKeyValueMetadata(key, metadata[key])
	}
	return errors.Join(s.err, s.writer.Close(), s.file.Close())
}

// Rows is how many have been written.
func (s *Spool[Row]) Rows() int64 { return s.rows }

// Close gives up what Finish has not written.
func (s *Spool[Row]) Close() { _ = s.file.Close() }
