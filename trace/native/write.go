package native

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"sync"

	"fabricast/internal/atomicfile"
	"fabricast/trace"
)

// Writer writes a trace of records or tasks. Several goroutines may write different ranks
// concurrently, but only one may write each rank. Records are stored in a temporary spool file
// until Close writes the trace, so that memory does not grow with the trace.
type Writer struct {
	path  string
	ranks []Rank

	mutex sync.Mutex
	spool *os.File
	at    int64
	err   error
}

// Rank writes the records or tasks of one rank.
type Rank struct {
	encoder encoder
	writer  *Writer
	spooled []part
	records uint64
	// oneSided means that the rank has puts or gets.
	oneSided bool
	// tasks means that the rank has tasks, not records.
	tasks bool
	// grouped means that a record of the rank refers to a group other than the world.
	grouped bool
}

// part is the position in the spool file of some encoded records of a rank.
type part struct{ at, length int64 }

// Limits, in bytes, of the encoded records in memory: for all ranks, and the minimum and maximum
// for a rank.
const (
	mostRoom  = 256 << 20
	leastPart = 512
	mostPart  = 64 << 10
)

// Create returns a Writer of the trace file path. It creates the spool file in the folder spoolIn.
func Create(path, spoolIn string, ranks int) (*Writer, error) {
	spool, err := os.CreateTemp(spoolIn, ".trace-*")
	if err != nil {
		return nil, err
	}
	w := &Writer{path: path, spool: spool, ranks: make([]Rank, ranks)}
	for i := range w.ranks {
		w.ranks[i].writer = w
	}
	return w, nil
}

// Rank returns the writer of a rank.
func (w *Writer) Rank(rank int) *Rank { return &w.ranks[rank] }

// Write appends a record. Errors are returned by Close.
func (k *Rank) Write(r *trace.Record) {
	k.records++
	k.oneSided = k.oneSided || r.Kind == trace.Put || r.Kind == trace.Get
	k.grouped = k.grouped || r.Message.Group > 0 || r.Other.Group > 0 || r.Call.Group > 0
	k.encoder.record(r)
	k.keepShort()
}

// WriteTask appends a task. A trace must not have both tasks and records. Errors are returned by
// Close.
func (k *Rank) WriteTask(t *trace.Task) {
	k.tasks = true
	k.encoder.task(int64(k.records), t)
	k.records++
	k.keepShort()
}

// keepShort moves the encoded records to the spool file if they exceed the memory limits.
func (k *Rank) keepShort() {
	if n := len(k.encoder.b); n >= mostPart || n >= leastPart && n >= mostRoom/len(k.writer.ranks) {
		k.spool()
	}
}

// spool moves the encoded records of the rank from memory to the spool file.
func (k *Rank) spool() {
	w := k.writer
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.err == nil {
		_, w.err = w.spool.Write(k.encoder.b)
	}
	k.spooled = append(k.spooled, part{w.at, int64(len(k.encoder.b))})
	w.at += int64(len(k.encoder.b))
	k.encoder.b = k.encoder.b[:0]
}

// Renumber replaces the group indices in all records written so far: group becomes number(group).
// The index of the world is not changed.
func (w *Writer) Renumber(number func(group int32) int32) error {
	for i := range w.ranks {
		if k := &w.ranks[i]; k.grouped {
			if err := k.renumber(i, number); err != nil {
				return err
			}
		}
	}
	return w.err
}

// Close writes the trace file, with the given groups of ranks (see [trace.Source]) and the factor
// by which computation times have been multiplied.
func (w *Writer) Close(groups [][]int32, factor float64) error {
	defer w.Abandon()
	if w.err != nil {
		return w.err
	}
	return atomicfile.Write(w.path, func(out io.Writer) error { return w.assemble(out, groups, factor) })
}

// Abandon deletes the spool file without writing the trace file.
func (w *Writer) Abandon() {
	name := w.spool.Name()
	_ = w.spool.Close()
	_ = os.Remove(name)
}

// assemble writes the header, the index, and the records of the ranks in order. The index comes
// first, so that it is available if the file is truncated.
func (w *Writer) assemble(out io.Writer, groups [][]int32, factor float64) error {
	e := encoder{}
	e.unsigned(math.Float64bits(factor))
	e.unsigned(w.flags())
	e.unsigned(uint64(len(groups)))
	for _, list := range groups {
		e.unsigned(uint64(len(list)))
		for _, rank := range list {
			e.unsigned(uint64(rank))
		}
	}
	e.unsigned(uint64(len(w.ranks)))
	for i := range w.ranks {
		e.unsigned(uint64(w.ranks[i].length()))
		e.unsigned(w.ranks[i].records)
	}
	head := binary.LittleEndian.AppendUint64([]byte(magic), uint64(len(e.b)))
	if _, err := out.Write(append(head, e.b...)); err != nil {
		return err
	}
	for i := range w.ranks {
		if err := w.ranks[i].writeTo(out); err != nil {
			return err
		}
	}
	return nil
}

// flags returns the flags of the index.
func (w *Writer) flags() (flags uint64) {
	for i := range w.ranks {
		if w.ranks[i].oneSided {
			flags |= flagOneSided
		}
		if w.ranks[i].tasks {
			flags |= flagTasks
		}
	}
	return flags
}

// renumber replaces the group indices in the records of the rank, see Renumber.
func (k *Rank) renumber(rank int, number func(group int32) int32) error {
	old := *k
	*k = Rank{writer: old.writer}
	in := stream{
		source: &file{path: k.writer.spool.Name(), ranks: make([]extent, len(k.writer.ranks))},
		rank:   rank,
		in:     bufio.NewReaderSize(old.reader(), readAhead),
		left:   old.length(),
		groups: math.MaxInt32,
	}
	var r trace.Record
	for {
		err := in.Next(&r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for _, group := range [...]*int32{&r.Message.Group, &r.Other.Group, &r.Call.Group} {
			if *group > 0 {
				*group = number(*group)
			}
		}
		k.Write(&r)
	}
}

// reader returns a reader of all encoded records of the rank.
func (k *Rank) reader() io.Reader {
	var list []io.Reader
	for _, p := range k.spooled {
		list = append(list, io.NewSectionReader(k.writer.spool, p.at, p.length))
	}
	return io.MultiReader(append(list, bytes.NewReader(k.encoder.b))...)
}

// length returns the length, in bytes, of all encoded records of the rank.
func (k *Rank) length() int64 {
	n := int64(len(k.encoder.b))
	for _, p := range k.spooled {
		n += p.length
	}
	return n
}

// writeTo writes all encoded records of the rank to out.
func (k *Rank) writeTo(out io.Writer) error {
	_, err := io.Copy(out, k.reader())
	return err
}
