// Package checkpoint writes the state of a run to a file and reads it.
//
// docs/formats/checkpoint.md specifies the bytes. A file starts with a magic string and the version
// of the format. Chunks follow, each with its length and the CRC-32C of its contents: a header as
// JSON, then the state, and an empty chunk at the end. Contents are used only after their checksum
// has been verified.
package checkpoint

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"time"

	"fabricast/internal/atomicfile"
	"fabricast/internal/input"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// Name is the name of the checkpoint file in the folder of a run.
const Name = "checkpoint.fbc"

// TablesFolder is the folder, next to the checkpoint, with the tables that the run has started to
// write. The checkpoint refers to a prefix of each table.
const TablesFolder = "checkpoint.tables"

// magic is the start of each file. Version is the version of the format.
const (
	magic   = "fabricast checkpoint\n"
	Version = 8
)

// Header describes the run of a checkpoint.
type Header struct {
	// Program is the version of Fabricast that wrote the checkpoint.
	Program string `json:"program"`
	// Fingerprint is a hash of Program, Experiment, the texts of Files, the sizes of traces, and
	// Flags.
	Fingerprint string `json:"fingerprint"`
	// Experiment is the resolved experiment in the format of experiment files.
	Experiment string `json:"experiment"`
	// Files are copies of the files that the experiment uses. Instead of a file's name, Experiment
	// contains its index in this list.
	Files []Copy `json:"files,omitempty"`
	// Trace is the trace that is replayed, and Traces are those of jobs. They are not copied.
	Trace  Trace   `json:"trace,omitzero"`
	Traces []Trace `json:"traces,omitempty"`
	// Flags holds settings, beside the experiment, that the command needs to resume the run.
	Flags json.RawMessage `json:"flags,omitempty"`
	// Blocks is the number of partition blocks of the network, and Cut a hash of the partition.
	Blocks int    `json:"blocks"`
	Cut    string `json:"cut"`
	// Processes is the number of processes that saved the state.
	Processes int `json:"processes"`
	// Time is the simulated time that the run had reached.
	Time units.Time `json:"time_ps"`
	// Ahead is the earliest time from which on a run resumed from here records everything. Events
	// before it may be missing: ranks may be ahead of Time, and a delivery is known before its time,
	// so the original run has already recorded some of them.
	Ahead    units.Time `json:"ahead_ps"`
	Finished int        `json:"ranks_ended"`
	Ranks    int        `json:"ranks"`
	// Rounds is the number of windows executed so far.
	Rounds uint64 `json:"rounds"`
	// Wall is the wall-clock time (s) of the run so far.
	Wall float64 `json:"wall_s"`
	// Every and EveryTime are the intervals between checkpoints, in wall-clock time and in
	// simulated time; 0 if checkpoints do not depend on it.
	Every     time.Duration `json:"every_ns,omitempty"`
	EveryTime units.Time    `json:"every_time_ps,omitempty"`
	// Number is the number of earlier checkpoints of the run. Keep is the number of checkpoints
	// that are kept, so that earlier periods can be simulated again.
	Number uint64 `json:"number,omitempty"`
	Keep   int    `json:"keep,omitempty"`
	// Launched is true if the experiment does not contain the program: it is written in Go or C.
	Launched bool `json:"launched,omitempty"`
	// Doors is true if the network has doors (extension points), which are written in Go.
	Doors bool `json:"doors,omitempty"`
	// Journal is the part of the journal that precedes the checkpoint, if there is a journal.
	Journal JournalMark `json:"journal,omitzero"`
	// Recorded is the part of the recorded trace that precedes the checkpoint, if one is recorded.
	Recorded JournalMark `json:"recorded,omitzero"`
}

// Copy is a file with its contents.
type Copy struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Trace identifies a trace by its absolute path and its size. The size of a folder is that of its
// files.
type Trace struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Print returns the fingerprint of the run of the checkpoint.
func (h *Header) Print() string {
	hash := sha256.New()
	note := func(text string) { fmt.Fprintf(hash, "%d\n%s", len(text), text) }
	note(h.Program)
	note(h.Experiment)
	for _, f := range h.Files {
		note(f.Text)
	}
	for _, t := range append(h.Traces, h.Trace) {
		note(strconv.FormatInt(t.Bytes, 10))
	}
	if len(h.Flags) > 0 {
		note(string(h.Flags))
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

var table = crc32.MakeTable(crc32.Castagnoli)

// mostChunk is the largest valid length (bytes) of a chunk. A longer one means that the file is
// damaged.
const mostChunk = 1 << 30

// Write writes a checkpoint with the state that walk visits, and replaces an earlier one. It
// returns the size of the file in bytes.
func Write(path string, h *Header, walk func(*snapshot.Visitor)) (size int64, err error) {
	err = atomicfile.Write(path, func(to io.Writer) error {
		w := &writer{to: to}
		w.bytes([]byte(magic))
		w.bytes(binary.LittleEndian.AppendUint32(nil, Version))
		head, err := json.Marshal(h)
		if err != nil {
			return err
		}
		_ = w.chunk(head, false)
		w.fail(snapshot.Write(w.chunk, walk))
		_ = w.chunk(nil, false)
		size = w.size
		return w.err
	})
	return size, err
}

// writer writes chunks.
type writer struct {
	to   io.Writer
	size int64
	err  error
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) bytes(b []byte) {
	if w.err != nil {
		return
	}
	n, err := w.to.Write(b)
	w.size += int64(n)
	w.fail(err)
}

// lastOfSection is set in the length of the last chunk of a section.
const lastOfSection = 1 << 31

// chunk writes a chunk.
func (w *writer) chunk(contents []byte, last bool) error {
	var head [8]byte
	length := uint32(len(contents))
	if last {
		length |= lastOfSection
	}
	binary.LittleEndian.PutUint32(head[:], length)
	binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(contents, table))
	w.bytes(head[:])
	w.bytes(contents)
	return w.err
}

// File is a checkpoint opened for reading. The user must call Close.
type File struct {
	Header
	path   string
	file   *os.File
	reader *bufio.Reader
	buffer []byte
}

// Error reports that a checkpoint cannot be used.
type Error struct {
	Path            string
	Found, Expected string
}

func (e *Error) Error() string { return e.Path + ": found " + e.Found + ", expected " + e.Expected }

func (f *File) refuse(found, expected string) error {
	return &Error{Path: f.path, Found: found, Expected: expected}
}

const whole = "a whole checkpoint as fabricast run --checkpoint writes it"

// Open opens a checkpoint and reads its header.
func Open(path string) (*File, error) {
	file, _, err := input.Open(path, input.Checkpoint)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, file: file, reader: bufio.NewReaderSize(file, 1<<20)}
	if err := f.begin(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() { _ = f.file.Close() }

// Path returns the file's path.
func (f *File) Path() string { return f.path }

// begin reads the magic string, the version and the header.
func (f *File) begin() error {
	head := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(f.reader, head); err != nil || string(head[:len(magic)]) != magic {
		return f.refuse("something else, or only its beginning", "a checkpoint")
	}
	if v := binary.LittleEndian.Uint32(head[len(magic):]); v != Version {
		return f.refuse(
			fmt.Sprintf("a checkpoint of format %d", v),
			fmt.Sprintf("format %d, which this version of Fabricast reads", Version),
		)
	}
	text, _, err := f.chunk()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &f.Header); err != nil ||
		f.Processes < 1 || f.Blocks < f.Processes {
		return f.refuse("a header that cannot be read", whole)
	}
	return nil
}

// chunk reads a chunk and verifies its checksum. last is true for the last chunk of a section.
func (f *File) chunk() (contents []byte, last bool, err error) {
	var head [8]byte
	if _, err := io.ReadFull(f.reader, head[:]); err != nil {
		return nil, false, f.cut(err)
	}
	n, sum := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint32(head[4:])
	last = n&lastOfSection != 0
	if n &^= lastOfSection; n > mostChunk {
		return nil, false, f.refuse("damage (a length that cannot be)", whole)
	}
	if int(n) > cap(f.buffer) {
		f.buffer = make([]byte, n)
	}
	f.buffer = f.buffer[:n]
	if _, err := io.ReadFull(f.reader, f.buffer); err != nil {
		return nil, false, f.cut(err)
	}
	if crc32.Checksum(f.buffer, table) != sum {
		return nil, false, f.refuse("damage (a checksum differs)", whole)
	}
	return f.buffer, last, nil
}

// cut returns the error for a file that ends too early or cannot be read.
func (f *File) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return f.refuse("only the beginning of a checkpoint", whole)
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

// Restore sets the state that walk visits to the saved state.
func (f *File) Restore(walk func(*snapshot.Visitor)) error {
	err := snapshot.Read(f.chunk, walk)
	if snapshot.IsOther(err) {
		return f.refuse(
			"the state of another build of Fabricast ("+f.Program+")",
			"a checkpoint of this build",
		)
	}
	return err
}
