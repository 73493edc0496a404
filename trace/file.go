package trace

import "fabricast/internal/input"

// File is an io.Reader that reads a file starting at an offset. It keeps the file open only during
// each Read, because a trace may have a million files, one per rank. Use it through a buffered
// reader.
type File struct {
	Path string
	At   int64 // offset of the next read, in bytes
}

// Read implements io.Reader.
func (f *File) Read(b []byte) (int, error) {
	file, _, err := input.Open(f.Path, input.Trace)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	n, err := file.ReadAt(b, f.At)
	f.At += int64(n)
	if n > 0 {
		err = nil // the next call reports it
	}
	return n, err
}
