package trace

import (
	"io"
	"os"

	"fabricast/internal/input"
)

// Window reads a binary file in pieces, and holds one piece in memory. It keeps the file open only
// while it reads a piece, because a trace may have a million files, one per rank. Set Path before
// use, and Chunk if the default is not suitable. Where many windows read the same file, use
// Shared.Window.
type Window struct {
	Path  string
	Chunk int // size of a piece, in bytes; 0 means 32 KiB

	shared *Shared // nil: the file is not shared
	pieces bool    // see Shared.Pieces
	data   []byte  // the current piece of the file
	at     int     // index in data of the current position
	start  int64   // offset of data in the file
	ended  bool    // data extends to the end of the file
}

// Peek returns the bytes at the current position without advancing: at least n bytes, or the rest
// of the file if it is shorter. The slice is valid until the next call. It is never longer than the
// file, also if n is larger.
func (w *Window) Peek(n int) ([]byte, error) {
	if len(w.data)-w.at < n && !w.ended {
		if err := w.fill(n); err != nil {
			return nil, err
		}
	}
	return w.data[w.at:], nil
}

// fill reads the piece of the file that starts at the current position, with at least n bytes
// unless the file ends earlier.
func (w *Window) fill(n int) error {
	const usual = 32 << 10
	chunk := w.Chunk
	if chunk == 0 {
		chunk = usual
	}
	if w.shared != nil {
		if err := w.shared.open(); err != nil {
			return err
		}
		switch {
		case w.shared.held && !w.pieces:
			return w.hold()
		case w.shared.file != nil:
			return w.read(w.shared.file, w.shared.size, max(n, chunk))
		}
	}
	f, all, err := input.Open(w.Path, input.Trace)
	if err != nil {
		return err
	}
	defer f.Close()
	return w.read(f, all, max(n, chunk))
}

// hold makes the window extend over the whole file, which is held in memory.
func (w *Window) hold() error {
	if err := w.shared.load(); err != nil {
		return err
	}
	at := w.Offset()
	w.data, w.start, w.at, w.ended = w.shared.bytes, 0, int(at), true
	if at > int64(len(w.data)) {
		w.data, w.start, w.at = nil, at, 0
	}
	return nil
}

// read reads at most n bytes at the current place of a file, whose size is all.
func (w *Window) read(f *os.File, all int64, n int) error {
	w.start += int64(w.at)
	w.at = 0
	size := min(int64(n), max(0, all-w.start))
	if int64(cap(w.data)) < size {
		w.data = make([]byte, size)
	}
	w.data = w.data[:size]
	got, err := f.ReadAt(w.data, w.start)
	if err != nil && err != io.EOF {
		return err
	}
	w.data = w.data[:got]
	w.ended = w.start+int64(got) >= all || int64(got) < size
	return nil
}

// Skip advances by n bytes, which Peek must have returned.
func (w *Window) Skip(n int) { w.at += n }

// Goto sets the current position to the given offset in the file, in bytes.
func (w *Window) Goto(offset int64) {
	if in := offset - w.start; in >= 0 && in <= int64(len(w.data)) {
		w.at = int(in)
		return
	}
	w.data, w.at, w.start, w.ended = w.data[:0], 0, offset, false
}

// Offset returns the current position as an offset in the file, in bytes.
func (w *Window) Offset() int64 { return w.start + int64(w.at) }

// Size returns the size of the file in bytes.
func (w *Window) Size() (int64, error) {
	if w.shared != nil {
		return w.shared.Size()
	}
	f, size, err := input.Open(w.Path, input.Trace)
	if err != nil {
		return 0, err
	}
	return size, f.Close()
}

// Chunk returns a value for Window.Chunk, in bytes, if the given number of streams are read at the
// same time. It is from 4 KiB to 64 KiB, such that all pieces together take at most 512 MiB if
// possible.
func Chunk(streams int) int {
	const most, least, all = 64 << 10, 4 << 10, 512 << 20
	return max(least, min(most, all/max(1, streams)))
}

// Left returns the number of bytes that Peek can return without reading the file.
func (w *Window) Left() int { return len(w.data) - w.at }
