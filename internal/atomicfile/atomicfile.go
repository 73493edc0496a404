// Package atomicfile writes files atomically: a reader sees either the old or the complete new
// content, even if the disk is full or the writer is interrupted.
package atomicfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"fabricast/internal/leftover"
)

// Write creates or replaces a file with the output of content. If content fails, the old file
// remains. If the name refers to something other than a regular file, such as a pipe or a terminal,
// Write writes to it directly.
func Write(name string, content func(io.Writer) error) error {
	return WriteAll([]string{name}, func(w []io.Writer) error { return content(w[0]) })
}

// WriteBytes is like Write for data in memory.
func WriteBytes(name string, data []byte) error {
	return Write(name, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	})
}

// WriteNew writes data to a new file. It returns fs.ErrExist if the file exists.
func WriteNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// WriteAll is like Write for several files, in the order of their names. If one fails, none is
// replaced.
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

// writer is a name of this process that is unique among those that may write to a folder. They can
// be on several machines, so the process ID is not enough.
var writer = sync.OnceValue(func() string {
	host, _ := os.Hostname() // if the host name is unknown, the process ID must suffice
	h := fnv.New32a()
	_, _ = h.Write([]byte(host))
	return fmt.Sprintf("%x-%d", h.Sum32(), os.Getpid())
})

// pending is a file that is being written.
type pending struct {
	name   string // name of the file to replace; "" if it is written to directly
	file   *os.File
	buffer *bufio.Writer
	closed bool
}

// begin opens a temporary file beside the file to replace, so that it can be renamed.
func begin(name string) (*pending, error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target // a link remains a link
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
	part := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%s.part", filepath.Base(name), writer()))
	var file *os.File
	err = leftover.Make(func() (string, error) {
		file, err = os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
		return part, err
	})
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			path.Path = name // the name that the user knows
		}
		return nil, err
	}
	return &pending{name: name, file: file, buffer: bufio.NewWriterSize(file, 1<<16)}, nil
}

// close flushes and closes the file.
func (f *pending) close() error {
	f.closed = true
	return errors.Join(f.buffer.Flush(), f.file.Close())
}

// end renames the temporary file if well is true, and otherwise removes it.
func (f *pending) end(well bool) error {
	if !f.closed {
		_ = f.file.Close() // the error does not matter: the file is discarded
	}
	if f.name == "" {
		return nil
	}
	defer leftover.Drop(f.file.Name())
	if well {
		return os.Rename(f.file.Name(), f.name)
	}
	return os.Remove(f.file.Name())
}
