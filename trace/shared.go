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

// Shared is a file that the windows of many ranks read. A short file is read once, when it is first
// needed, and its bytes are held for all of them. Of a long one each window holds a piece; it stays
// open, if the trace has no other shared file. Only the size of the file decides. A Shared is safe
// for concurrent use.
type Shared struct {
	Path string

	alone bool  // the trace has no other shared file
	most  int64 // bytes of a file that is held

	once  sync.Once
	err   error
	size  int64
	held  bool
	bytes []byte   // all of the file, outside the Go heap, if it is held
	file  *os.File // if it is not held, but stays open
}

// Share returns one of the given number of shared files of a trace, which it does not open yet.
func Share(path string, files int) *Shared {
	return &Shared{Path: path, alone: files == 1, most: mostHeld / int64(max(1, files))}
}

// load opens the file, and reads it if it is held.
func (s *Shared) load() error {
	s.once.Do(func() { s.err = s.open() })
	return s.err
}

func (s *Shared) open() error {
	file, size, err := input.Open(s.Path, input.Trace)
	if err != nil {
		return err
	}
	s.size = size
	if s.held = size <= s.most; !s.held && s.alone {
		s.file = file
		return nil
	}
	defer file.Close()
	if s.held {
		return s.read(file)
	}
	return nil
}

// read reads the whole file.
func (s *Shared) read(file *os.File) error {
	arena := &offheap.Arena{}
	bytes, err := offheap.Make[byte](arena, int(s.size))
	if err != nil {
		return err
	}
	// the windows that use the bytes refer to s
	runtime.AddCleanup(s, func(a *offheap.Arena) { a.Free() }, arena)
	got, err := io.ReadFull(file, bytes)
	if err == io.EOF || err == io.ErrUnexpectedEOF { // it has become shorter
		err = nil
	}
	s.bytes = bytes[:got:got]
	return err
}

// Window returns a window on the file at its beginning. It reads pieces of chunk bytes if the file is
// not held.
func (s *Shared) Window(chunk int) Window { return Window{Path: s.Path, Chunk: chunk, shared: s} }

// Size returns the size of the file in bytes.
func (s *Shared) Size() (int64, error) {
	err := s.load()
	return s.size, err
}

// Held reports whether the bytes of the file are held in memory.
func (s *Shared) Held() bool { return s.load() == nil && s.held }
