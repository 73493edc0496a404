package native

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"fabricast/internal/input"
	"fabricast/trace"
)

// Is reports whether begin is the start of a trace file in the native format.
func Is(begin []byte) bool { return bytes.HasPrefix(begin, []byte(magic)) }

// Source is an opened trace of records.
type Source struct{ file }

// file is an opened trace.
type file struct {
	path   string
	groups [][]int32
	factor float64
	ranks  []extent
	flags  uint64
}

// extent is the position of a rank's records or tasks in the file, in bytes.
type extent struct{ at, length int64 }

// ending is the file name extension of the native format.
const ending = ".fbt"

// ofFolder returns the path of the only trace in the native format in the folder dir.
func ofFolder(dir string) (string, error) {
	entries, err := trace.Files(dir)
	if err != nil {
		return "", err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasSuffix(e.Name(), ending)
	})
	if len(entries) != 1 {
		return "", &trace.Error{
			File: dir, What: "trace", Found: fmt.Sprintf("%d files that end in %s", len(entries), ending),
			Expected: "one of them",
		}
	}
	return filepath.Join(dir, entries[0].Name()), nil
}

// Open opens a trace. path is its file or the folder that contains it. The result is a *Source or a
// *Graph.
func Open(path string) (trace.Trace, error) {
	s, err := openFile(path)
	switch {
	case err != nil:
		return nil, err
	case s.flags&flagTasks != 0:
		return &Graph{*s}, nil
	}
	return &Source{*s}, nil
}

func openFile(path string) (*file, error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if path, err = ofFolder(path); err != nil {
			return nil, err
		}
	}
	f, size, err := input.Open(path, input.Trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &file{path: path}
	var head [headSize]byte
	if n, err := f.ReadAt(head[:], 0); err != nil && err != io.EOF {
		return nil, err
	} else if n < headSize || !Is(head[:]) {
		return nil, s.fail(0, "file", fmt.Sprintf("%q", head[:min(n, len(magic))]), fmt.Sprintf("%q", magic))
	}
	length := binary.LittleEndian.Uint64(head[len(magic):])
	if length > uint64(size-int64(headSize)) {
		return nil, s.fail(
			int64(len(magic)), "index", fmt.Sprintf("one of %d bytes in a file of %d", length, size),
			"a whole one: the trace has been cut off",
		)
	}
	index := make([]byte, length)
	if _, err := f.ReadAt(index, int64(headSize)); err != nil && err != io.EOF {
		return nil, err
	}
	if err := s.readIndex(index, int64(headSize)); err != nil {
		return nil, err
	}
	if last := s.ranks[len(s.ranks)-1]; last.at+last.length < size {
		return nil, s.fail(last.at+last.length, "file", "more bytes", "its end, behind the last rank")
	}
	return s, nil
}

// readIndex parses the index: the factor, the flags, the groups, and the positions of the records
// of each rank. at is the offset of the index in the file.
func (s *file) readIndex(index []byte, at int64) error {
	in := bytes.NewReader(index)
	number := func(most uint64) (n uint64, err error) {
		place := at + int64(len(index)-in.Len())
		if n, err = binary.ReadUvarint(in); err != nil || n > most {
			err = s.fail(place, "index", fmt.Sprint(n), fmt.Sprintf("a number up to %d", most))
		}
		return n, err
	}
	bits, err := number(math.MaxUint64)
	if err != nil {
		return err
	}
	s.factor = math.Float64frombits(bits)
	if s.flags, err = number(math.MaxUint64); err != nil {
		return err
	}
	groups, err := number(uint64(in.Len()))
	for i := uint64(0); err == nil && i < groups; i++ {
		var n, rank uint64
		var list []int32
		if n, err = number(uint64(in.Len())); n > 0 {
			list = make([]int32, 0, n)
		}
		for ; err == nil && n > 0; n-- {
			if rank, err = number(math.MaxInt32); err == nil {
				list = append(list, int32(rank))
			}
		}
		s.groups = append(s.groups, list)
	}
	if err != nil {
		return err
	}
	ranks, err := number(uint64(in.Len()))
	begin := at + int64(len(index))
	for i := uint64(0); err == nil && i < ranks; i++ {
		var n uint64
		if n, err = number(uint64(mostLength - begin)); err == nil {
			s.ranks = append(s.ranks, extent{begin, int64(n)})
			begin += int64(n)
			_, err = number(math.MaxUint64)
		}
	}
	if err == nil {
		err = s.checkGroups()
	}
	return err
}

// mostLength is the maximum length, in bytes, of a file that an index may describe.
const mostLength = 1 << 62

// checkGroups returns an error if there are no ranks or no groups, or if a group contains an
// invalid rank.
func (s *file) checkGroups() error {
	if len(s.ranks) == 0 || len(s.groups) == 0 {
		return s.fail(
			0, "index", fmt.Sprintf("%d ranks and %d groups", len(s.ranks), len(s.groups)),
			"at least one of both",
		)
	}
	for _, list := range s.groups {
		for _, rank := range list {
			if int(rank) >= len(s.ranks) {
				return s.fail(
					0, "group", fmt.Sprintf("rank %d", rank),
					fmt.Sprintf("0 to %d", len(s.ranks)-1),
				)
			}
		}
	}
	return nil
}

func (s *file) fail(at int64, what, found, expected string) error {
	return &trace.Error{File: s.path, Offset: at, What: what, Found: found, Expected: expected}
}

// Format implements trace.Trace.
func (s *file) Format() string { return "Fabricast" }

// Ranks implements trace.Trace.
func (s *file) Ranks() int { return len(s.ranks) }

// Groups implements trace.Trace.
func (s *file) Groups() [][]int32 { return s.groups }

// ComputeFactor returns the factor by which the recorded run multiplied computation times.
func (s *file) ComputeFactor() float64 { return s.factor }

// OneSided reports whether the trace has puts or gets.
func (s *file) OneSided() bool { return s.flags&flagOneSided != 0 }

// Open implements trace.Source.
func (s *Source) Open(rank int) (trace.Stream, error) { return s.stream(rank), nil }

// stream returns a stream of the records or tasks of a rank.
func (s *file) stream(rank int) *stream {
	x := s.ranks[rank]
	in := &trace.File{Path: s.path, At: x.at}
	return &stream{
		source: s,
		rank:   rank,
		at:     x.at,
		left:   x.length,
		in:     bufio.NewReaderSize(in, int(min(x.length+1, readAhead))),
		groups: len(s.groups),
	}
}

// readAhead is the number of bytes to read at once from a rank's records.
const readAhead = 16 << 10

// stream reads the records or tasks of a rank.
type stream struct {
	source  *file
	rank    int
	in      *bufio.Reader
	at      int64 // offset in the file
	left    int64 // remaining bytes of the rank
	names   []string
	last    uint64
	records int64 // number of records or tasks read so far
	groups  int   // group indices must be less than this
	err     error // first error in the current record or task
}

// Faults implements trace.Stream.
func (s *stream) Faults() trace.Faults { return trace.Faults{} }

// Recorded implements trace.Stream.
func (s *stream) Recorded() int64 { return 0 }

// Events implements trace.Stream.
func (s *stream) Events() int64 { return s.records }

// Next implements trace.Stream.
func (s *stream) Next(r *trace.Record) error {
	if s.err != nil {
		return s.err
	}
	if s.left == 0 {
		return io.EOF
	}
	begin := s.at
	requests, blocks := r.Requests[:0], r.Call.Blocks[:0]
	*r = trace.Record{Kind: trace.Kind(s.byte())}
	switch r.Kind {
	case trace.Compute, trace.Software:
		r.Duration = s.duration()
	case trace.Beside:
		r.Duration = s.duration()
		r.Message.Request = s.request()
	case trace.Send, trace.Receive, trace.Start, trace.Probe, trace.Put, trace.Get:
		s.message(&r.Message)
		if access := r.Kind == trace.Put || r.Kind == trace.Get; access && r.Message.Receive {
			s.wrong("put or get", "the end of a receiver", "that of who does it")
		}
	case trace.Exchange:
		s.message(&r.Message)
		s.message(&r.Other)
	case trace.Wait:
		for n := s.count(); n > 0 && s.err == nil; n-- {
			requests = append(requests, s.request())
		}
		r.Requests = requests
	case trace.Cancel, trace.Test:
		r.Message.Request = s.request()
	case trace.Collective:
		s.operation(&r.Call, blocks)
	case trace.Enter, trace.Leave, trace.Skipped:
		r.Name = s.name()
	default:
		s.wrong("record", fmt.Sprintf("kind %d", r.Kind), fmt.Sprintf("0 to %d", trace.LastKind))
	}
	return s.ended("record", begin)
}

// ended counts the current record or task, or returns its error. It starts at offset begin in the
// file; what is "record" or "task".
func (s *stream) ended(what string, begin int64) error {
	if s.err == nil {
		s.records++
		return nil
	}
	if errors.Is(s.err, io.ErrUnexpectedEOF) {
		found := fmt.Sprintf("the end of the rank's %ss", what)
		if s.left > 0 {
			found = "the end of the file"
		}
		s.err = s.source.fail(begin, what, found, "a whole one")
	}
	return s.err
}

// wrong sets s.err to an error in the current record or task, unless it is already set.
func (s *stream) wrong(what, found, expected string) {
	if s.err == nil {
		s.err = s.source.fail(s.at, fmt.Sprintf("rank %d: %s", s.rank, what), found, expected)
	}
}

// ReadByte implements io.ByteReader. It does not read beyond the rank's part of the file.
func (s *stream) ReadByte() (byte, error) {
	if s.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	b, err := s.in.ReadByte()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		s.left--
		s.at++
	}
	return b, err
}

func (s *stream) byte() byte {
	b, err := s.ReadByte()
	if err != nil && s.err == nil {
		s.err = err
	}
	return b
}

func (s *stream) unsigned() uint64 {
	n, err := binary.ReadUvarint(s)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n
}

func (s *stream) signed() int64 {
	n, err := binary.ReadVarint(s)
	if err != nil && s.err == nil {
		s.err = err
	}
	return n
}

// within reads a signed integer and checks that it is from low to high.
func (s *stream) within(what string, low, high int64) int64 {
	n := s.signed()
	if s.err == nil && (n < low || n > high) {
		s.wrong(what, fmt.Sprint(n), fmt.Sprintf("%d to %d", low, high))
	}
	return n
}

// Maximum values of a duration (ps) and of MessageOptions.Context.
const (
	mostTime    = 1 << 62
	mostContext = 3
)

func (s *stream) duration() int64 { return s.within("duration", 0, mostTime) }

func (s *stream) request() uint64 {
	s.last += uint64(s.signed())
	return s.last
}

// count reads the length of a list whose elements take at least one byte each.
func (s *stream) count() uint64 {
	n := s.unsigned()
	if s.err == nil && n > uint64(s.left) {
		s.wrong("number", fmt.Sprint(n), fmt.Sprintf("at most %d", s.left))
	}
	return n
}

func (s *stream) name() string {
	n := s.unsigned()
	switch {
	case s.err != nil:
		return ""
	case n < uint64(len(s.names)):
		return s.names[n]
	case n > uint64(len(s.names)):
		s.wrong("name", fmt.Sprint(n), fmt.Sprintf("at most %d", len(s.names)))
		return ""
	}
	var text []byte
	for k := s.count(); k > 0 && s.err == nil; k-- {
		text = append(text, s.byte())
	}
	s.names = append(s.names, string(text))
	return string(text)
}

func (s *stream) message(m *trace.Message) {
	bits := s.byte()
	m.Receive = bits&messageReceives != 0
	least := int64(0)
	if m.Receive {
		least = trace.Any
	}
	m.Peer = int32(s.within("rank", least, int64(len(s.source.ranks))-1))
	m.Tag = int32(s.within("tag", math.MinInt32, math.MaxInt32))
	m.Group = int32(s.within("group", int64(trace.Self), int64(s.groups)-1))
	m.Size = s.within("size", 0, math.MaxInt64)
	m.Request = s.request()
	if o := &m.Options; bits&messageOptions != 0 {
		o.Context, o.Protocol, o.Copies = s.byte(), s.byte(), s.byte()
		if s.err == nil && o.Context > mostContext {
			s.wrong("context", fmt.Sprint(o.Context), fmt.Sprintf("0 to %d", mostContext))
		}
		o.NIC = int32(s.within("NIC", 0, math.MaxInt32))
		o.Gap = uint32(s.unsigned())
	}
}

func (s *stream) operation(o *trace.Operation, blocks []int64) {
	o.Kind = trace.CollectiveKind(s.byte())
	bits := s.byte()
	if s.err == nil && o.Kind > trace.Exscan {
		s.wrong("collective", fmt.Sprint(uint8(o.Kind)), fmt.Sprintf("0 to %d", trace.Exscan))
	}
	o.Uneven = bits&operationUneven != 0
	o.Group = int32(s.within("group", 0, int64(s.groups)-1))
	if s.err != nil {
		return
	}
	members, known := int64(len(s.source.ranks)), int(o.Group) < len(s.source.groups)
	if known && len(s.source.groups[o.Group]) > 0 {
		members = int64(len(s.source.groups[o.Group]))
	}
	o.Root = int32(s.within("root", 0, members-1))
	o.Size = s.within("size", 0, math.MaxInt64)
	if bits&operationBlocks == 0 {
		return
	}
	n := s.count()
	if s.err == nil && known && n != uint64(members) {
		s.wrong("blocks", fmt.Sprint(n), fmt.Sprintf("%d, one for each rank of the group", members))
	}
	for ; n > 0 && s.err == nil; n-- {
		blocks = append(blocks, s.within("size", 0, math.MaxInt64))
	}
	o.Blocks = blocks
}
