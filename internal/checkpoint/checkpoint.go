// Package checkpoint writes the state of a run into a file and reads it.
//
// docs/formats/checkpoint.md draws the bytes. A file begins with a magic and the version of the
// format. Then come chunks, each with its length and the CRC-32C of its contents: first a header as
// JSON, then the state, and an empty chunk at the end. No byte is believed before its checksum has
// been compared.
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

// Name is the name of the file in the folder of a run.
const Name = "checkpoint.fbc"

// TablesFolder is the folder, beside the checkpoint, of the tables that the run has begun. The
// checkpoint needs the beginning of each.
const TablesFolder = "checkpoint.tables"

// magic begins each file. Version is that of the format.
const (
	magic   = "fabricast checkpoint\n"
	Version = 8
)

// Header says what a checkpoint is of.
type Header struct {
	// Program is the version of Fabricast that wrote it.
	Program string `json:"program"`
	// Fingerprint is over Program, Experiment, the texts of Files, the sizes of traces and Flags.
	Fingerprint string `json:"fingerprint"`
	// Experiment is the resolved experiment as a file.
	Experiment string `json:"experiment"`
	// Files are the files that the experiment names, where they have their places in this list as
	// names.
	Files []Copy `json:"files,omitempty"`
	// Trace is the one that is replayed, and Traces are those of jobs. They are not copied.
	Trace  Trace   `json:"trace,omitzero"`
	Traces []Trace `json:"traces,omitempty"`
	// Flags are what the command has to know to go on, beside the experiment.
	Flags json.RawMessage `json:"flags,omitempty"`
	// Blocks is the number of blocks that the network is divided into, and Cut a hash of how.
	Blocks int    `json:"blocks"`
	Cut    string `json:"cut"`
	// Processes is the number of processes that have saved the state.
	Processes int `json:"processes"`
	// Time is the simulated time that was reached.
	Time units.Time `json:"time_ps"`
	// Ahead is from when on all that happens is in what goes on from here: ranks may be ahead of
	// Time, and a delivery is known before its time, so that some of it has been recorded before.
	Ahead    units.Time `json:"ahead_ps"`
	Finished int        `json:"ranks_ended"`
	Ranks    int        `json:"ranks"`
	// Rounds is the number of windows executed so far.
	Rounds uint64 `json:"rounds"`
	// Wall is how long (s) the run has taken so far.
	Wall float64 `json:"wall_s"`
	// Every and EveryTime say how often the run leaves a checkpoint: of the wall clock, and of
	// simulated time; 0: not by that.
	Every     time.Duration `json:"every_ns,omitempty"`
	EveryTime units.Time    `json:"every_time_ps,omitempty"`
	// Number is how many checkpoints the run had left before. Keep is how many are kept for a look
	// back.
	Number uint64 `json:"number,omitempty"`
	Keep   int    `json:"keep,omitempty"`
	// Launched says that what runs is not in the experiment: a program in Go or C.
	Launched bool `json:"launched,omitempty"`
	// Doors says that the network has doors, which are in Go.
	Doors bool `json:"doors,omitempty"`
	// Journal is the part of the journal that belongs to the checkpoint, if there is one.
	Journal JournalMark `json:"journal,omitzero"`
	// Recorded is the part of what has been recorded as a trace, if anything has.
	Recorded JournalMark `json:"recorded,omitzero"`
}

// Copy is a file with its contents.
type Copy struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Trace is a trace by its absolute path and its size: of a folder, that of its files.
type Trace struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// Print returns the fingerprint of what the checkpoint is of.
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

// mostChunk is the largest length (bytes) of a chunk. A longer one is damage.
const mostChunk = 1 << 30

// Write writes a checkpoint with the state that a walk goes over, in place of an earlier one. It
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

// lastOfSection marks the length of the last chunk of a section.
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

// File is a checkpoint that is read. Its user must call Close.
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

// begin reads the magic, the version and the header.
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

// chunk reads a chunk and compares its checksum. last marks the end of a section.
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

// cut returns the error of a file that ends too early, or cannot be read.
func (f *File) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return f.refuse("only the beginning of a checkpoint", whole)
	}
	return fmt.Errorf("%s: %w", f.path, err)
}

// Restore makes the state that a walk goes over what was saved.
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
