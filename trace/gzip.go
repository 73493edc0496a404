package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
)

// gzipped is how gzip files begin.
var gzipped = []byte("\x1f\x8b")

// Unzipped returns the start of a file from its first bytes, after decompression if it is a gzip
// file. It is empty if these cannot be decompressed.
func Unzipped(begin []byte) []byte {
	if !bytes.HasPrefix(begin, gzipped) {
		return begin
	}
	z, err := gzip.NewReader(bytes.NewReader(begin))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(z, int64(len(begin))))
	return text
}

// OpenUnzipped opens a file, through buffers of size bytes, and decompresses it if it is a gzip file.
func OpenUnzipped(path string, size int) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(&File{Path: path}, size)
	begin, err := in.Peek(len(gzipped))
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !bytes.Equal(begin, gzipped) {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, &Error{File: path, What: "compression", Found: err.Error(), Expected: "gzip"}
	}
	return bufio.NewReaderSize(z, size), nil
}
