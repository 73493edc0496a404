package export

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"

	"fabricast/internal/leftover"
)

// inMemory is how many lines are sorted in memory.
const inMemory = 1 << 17

// sorter sorts lines by time. Lines of equal time keep the order in which they were added. Beyond a
// limit, sorted parts are kept in a temporary file and merged at the end.
type sorter struct {
	most  int // lines kept in memory
	lines []sortedLine
	text  []byte // of these lines
	file  *os.File
	ends  []int64 // end of each sorted part in the file
	err   error
}

// sortedLine is a line of sorter.text.
type sortedLine struct {
	at         int64
	begin, end int
}

func newSorter(most int) *sorter { return &sorter{most: most} }

// add adds a line at a time (ps). write appends the line's text, without a line end, to a buffer.
func (s *sorter) add(at int64, write func(to []byte) []byte) {
	begin := len(s.text)
	s.text = write(s.text)
	s.lines = append(s.lines, sortedLine{at, begin, len(s.text)})
	if len(s.lines) >= s.most {
		s.err = errors.Join(s.err, s.spill())
	}
}

func (s *sorter) sort() {
	slices.SortStableFunc(s.lines, func(a, b sortedLine) int { return cmp.Compare(a.at, b.at) })
}

// spill writes the lines in memory to the file, as a sorted part.
func (s *sorter) spill() error {
	if s.err != nil {
		s.lines, s.text = s.lines[:0], s.text[:0]
		return nil
	}
	if s.file == nil {
		err := leftover.Make(func() (string, error) {
			f, err := os.CreateTemp("", "fabricast-export-")
			if err != nil {
				return "", err
			}
			s.file = f
			return f.Name(), nil
		})
		if err != nil {
			return err
		}
	}
	s.sort()
	w := bufio.NewWriterSize(s.file, 1<<16)
	var head []byte
	var size int64
	for _, l := range s.lines {
		head = binary.AppendVarint(head[:0], l.at)
		head = binary.AppendUvarint(head, uint64(l.end-l.begin))
		_, _ = w.Write(head) // an error comes again from Flush
		_, _ = w.Write(s.text[l.begin:l.end])
		size += int64(len(head) + l.end - l.begin)
	}
	if n := len(s.ends); n > 0 {
		size += s.ends[n-1]
	}
	s.ends = append(s.ends, size)
	s.lines, s.text = s.lines[:0], s.text[:0]
	return w.Flush()
}

// write writes all lines in order of time.
func (s *sorter) write(w *bufio.Writer) error {
	if s.err != nil {
		return s.err
	}
	if s.file == nil {
		s.sort()
		for _, l := range s.lines {
			_, _ = w.Write(s.text[l.begin:l.end])
			_ = w.WriteByte('\n')
		}
		return w.Flush()
	}
	if err := s.spill(); err != nil {
		return err
	}
	parts, err := s.parts()
	if err != nil {
		return err
	}
	for heap.Init(&parts); len(parts) > 0; heap.Fix(&parts, 0) {
		p := parts[0]
		_, _ = w.Write(p.text)
		_ = w.WriteByte('\n')
		if err := p.next(); errors.Is(err, io.EOF) {
			heap.Pop(&parts)
			if len(parts) == 0 {
				break
			}
		} else if err != nil {
			return err
		}
	}
	return w.Flush()
}

// parts opens all sorted parts of the file, each at its first line.
func (s *sorter) parts() (parts sortedParts, err error) {
	begin := int64(0)
	for i, end := range s.ends {
		p := &sortedPart{
			number: i,
			r:      bufio.NewReaderSize(io.NewSectionReader(s.file, begin, end-begin), 1<<15),
		}
		begin = end
		if err := p.next(); errors.Is(err, io.EOF) {
			continue
		} else if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// close removes the temporary file.
func (s *sorter) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// sortedPart reads a sorted part of the file, and holds its current line.
type sortedPart struct {
	number int
	r      *bufio.Reader
	at     int64
	text   []byte
}

// next reads the next line of the part. It returns io.EOF after the last one.
func (p *sortedPart) next() (err error) {
	if p.at, err = binary.ReadVarint(p.r); err != nil {
		return err
	}
	size, err := binary.ReadUvarint(p.r)
	if err != nil {
		return err
	}
	p.text = slices.Grow(p.text[:0], int(size))[:size]
	_, err = io.ReadFull(p.r, p.text)
	return err
}

// sortedParts is a heap of parts, ordered by their current lines.
type sortedParts []*sortedPart

func (p sortedParts) Len() int { return len(p) }
func (p sortedParts) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(p[i].at, p[j].at), cmp.Compare(p[i].number, p[j].number)) < 0
}
func (p sortedParts) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *sortedParts) Push(x any)   { *p = append(*p, x.(*sortedPart)) }
func (p *sortedParts) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}
