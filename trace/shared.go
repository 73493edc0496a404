package trace

import (
	"io"
	"os"
	"runtime"
	"sync"

	"fabricast/internal/input"
	"fabricast/internal/offheap"
)

// mostHeld is the number of bytes up to which the shared files of a trace are held in memory. It is
// also what the pieces of all windows take at most where they are not held (see Chunk).
const mostHeld = 512 << 20

// Shared is a file that the windows of many ranks read. A short file is read once, when a window first
// needs it, and its bytes are held for all of them. Of a long one each window holds a piece. Only the
// size of the file decides. The file stays open, if the trace has no other shared file. A Shared is
// safe for concurrent use.
type Shared struct {
	Path string

	alone bool  // the trace has no other shared file
	most  int64 // bytes of a file that is held

	once sync.Once
	err  error
	size int64
	held bool     // see Held
	file *os.File // if it stays open

	reading sync.Once
	failed  error
	bytes   []byte // all of the file, outside the Go heap, once a window has needed it
}

// Share returns one of the given number of shared files of a trace, which it does not open yet.
func Share(path string, files int) *Shared {
	return &Shared{Path: path, alone: files == 1, most: mostHeld / int64(max(1, files))}
}

// open opens the file, if it has not been opened.
func (s *Shared) open() error {
	s.once.Do(func() {
		file, size, err := input.Open(s.Path, input.Trace)
		if err != nil {
			s.err = err
			return
		}
		s.size, s.held = size, size <= s.most
		if s.alone {
			s.file = file
			return
		}
		s.err = file.Close()
	})
	return s.err
}

// load reads the whole file, if it has not been read. REQUIRES: it has been opened.
func (s *Shared) load() error {
	s.reading.Do(func() {
		file := s.file
		if file == nil {
			if file, _, s.failed = input.Open(s.Path, input.Trace); s.failed != nil {
				return
			}
			defer file.Close()
		}
		s.failed = s.read(file)
	})
	return s.failed
}

func (s *Shared) read(file *os.File) error {
	arena := &offheap.Arena{}
	bytes, err := offheap.Make[byte](arena, int(s.size))
	if err != nil {
		return err
	}
	// the windows that use the bytes refer to s
	runtime.AddCleanup(s, func(a *offheap.Arena) { a.Free() }, arena)
	got, err := file.ReadAt(bytes, 0)
	if err == io.EOF { // it has become shorter
		err = nil
	}
	s.bytes = bytes[:got:got]
	return err
}

// Window returns a window on the file at its beginning. It reads pieces of chunk bytes if the file is
// not held.
func (s *Shared) Window(chunk int) Window { return Window{Path: s.Path, Chunk: chunk, shared: s} }

// Pieces is like Window, but the window reads pieces also if the file is held.
func (s *Shared) Pieces(chunk int) Window {
	return Window{Path: s.Path, Chunk: chunk, shared: s, pieces: true}
}

// Size returns the size of the file in bytes.
func (s *Shared) Size() (int64, error) {
	err := s.open()
	return s.size, err
}

// Held reports whether the bytes of the file are held in memory, once a window needs them.
func (s *Shared) Held() bool { return s.open() == nil && s.held }
