// Package whole writes files that appear whole or not at all: whoever reads one sees what was there
// before or all that is new, also when the disk is full or the writer is interrupted.
package whole

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file of a name by what content writes, or makes it. If content fails, what was there before stays.
// A name that leads to something else than a file, such as a pipe or a terminal, is written to as it comes.
func Write(name string, content func(io.Writer) error) error {
	return WriteAll([]string{name}, func(w []io.Writer) error { return content(w[0]) })
}

// WriteBytes is Write for what is in memory.
func WriteBytes(name string, data []byte) error {
	return Write(name, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	})
}

// WriteAll is Write for files that belong together, in the order of their names: if one fails, none is replaced.
func WriteAll(names []string, content func([]io.Writer) error) (err error) {
	files := make([]*pending, 0, len(names))
	defer func() {
		for _, f := range files {
			err = errors.Join(err, f.end(err == nil))
		}
	}()
	writers := make([]io.Writer, 0, len(names))
	for _, name := range names {
		f, err := begin(name)
		if err != nil {
			return err
		}
		files, writers = append(files, f), append(writers, f.buffer)
	}
	if err := content(writers); err != nil {
		return err
	}
	for _, f := range files {
		err = errors.Join(err, f.close())
	}
	return err
}

// pending is a file that is being written.
type pending struct {
	name   string // of the file to replace; "" if the writer writes to it itself
	file   *os.File
	buffer *bufio.Writer
	closed bool
}

// begin opens what a file is written to until it is whole: a file beside it, so that it can be renamed.
func begin(name string) (*pending, error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // a link stays one
	}
	mode := fs.FileMode(0o666)
	existing, err := os.Stat(name)
	switch {
	case err == nil && !existing.Mode().IsRegular():
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &pending{file: file, buffer: bufio.NewWriter(file)}, err
	case err == nil:
		mode = existing.Mode().Perm()
	}
	part := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d.part", filepath.Base(name), os.Getpid()))
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			path.Path = name // which is what the user knows
		}
		return nil, err
	}
	return &pending{name: name, file: file, buffer: bufio.NewWriterSize(file, 1<<16)}, nil
}

// close ends the writing.
func (f *pending) close() error {
	f.closed = true
	return errors.Join(f.buffer.Flush(), f.file.Close())
}

// end puts the file in its place if all went well, and otherwise deletes what there is of it.
func (f *pending) end(well bool) error {
	if !f.closed {
		_ = f.file.Close() // whatever was written does not count
	}
	switch {
	case f.name == "":
		return nil
	case well:
		return os.Rename(f.file.Name(), f.name)
	}
	return os.Remove(f.file.Name())
}
