package trace

import "fabricast/internal/input"

// File reads a file from an offset on. It opens the file only while it reads, because a trace may
// have a file for each of a million ranks. Use it through a buffered reader.
type File struct {
	Path string
	At   int64 // offset in bytes at which it reads next
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
		err = nil // the next call finds the end
	}
	return n, err
}
