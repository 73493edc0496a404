package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
)

// Stdin is the name that stands for standard input.
const Stdin = "-"

// Error reports why a file was not read.
type Error struct {
	Path            string
	Found, Expected string
	err             error // error of the system; nil if this package refused the file
}

func (e *Error) Error() string { return e.Path + ": found " + e.Found + ", expected " + e.Expected }

// Where returns the file and what was found, for messages about something else.
func (e *Error) Where() string { return e.Path + " (" + e.Found + ")" }

// Unwrap returns the system's error, such as fs.ErrNotExist.
func (e *Error) Unwrap() error { return e.err }

// readable is the text for what was expected instead of a file that the system could not open.
const readable = "a readable file"

// Text reads a whole file. The error is an *Error.
func Text(path string, kind Kind) (string, error) {
	if path == Stdin && kind.stdin {
		return standardInput(kind)
	}
	file, size, err := Open(path, kind)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return text(path, file, size, kind)
}

// Bytes is like Text, and returns the contents as bytes.
func Bytes(path string, kind Kind) ([]byte, error) {
	s, err := Text(path, kind)
	if err != nil {
		return nil, err
	}
	return []byte(s), nil
}

// Open opens a file that is read in parts, and returns its size in bytes. The error is an *Error.
func Open(path string, kind Kind) (*os.File, int64, error) {
	if path == "" {
		return nil, 0, &Error{
			Path:     "the name of a file",
			Found:    "nothing",
			Expected: "the name of " + kind.name,
		}
	}
	// opening a device can have effects, and opening a pipe can block, so check first. O_NONBLOCK
	// avoids blocking if a pipe replaces the file in between
	about, err := os.Stat(path)
	if err != nil {
		return nil, 0, failed(path, err)
	}
	if err := regular(path, about, kind); err != nil {
		return nil, 0, err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, failed(path, err)
	}
	about, err = file.Stat()
	if err == nil {
		err = regular(path, about, kind)
	}
	if err != nil {
		_ = file.Close()
		return nil, 0, failed(path, err)
	}
	return file, about.Size(), nil
}

// mostBeginning is the number of bytes that Beginning reads at most.
const mostBeginning = 64 * kib

// Beginning reads the first bytes of a file, at most 64 KiB. The error is an *Error.
func Beginning(path string, kind Kind) (string, error) {
	file, size, err := Open(path, kind)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var b strings.Builder
	b.Grow(int(min(size, mostBeginning)))
	if _, err := io.Copy(&b, io.LimitReader(file, mostBeginning)); err != nil {
		return "", failed(path, err)
	}
	return b.String(), nil
}

// FirstLines returns the first lines of a text file, at most 64 KiB, and whether these are all.
// With them a reader can check the format before it reads the whole of a large file. The error is
// an *Error.
func FirstLines(path string, kind Kind) (text string, all bool, err error) {
	text, err = Beginning(path, kind)
	if err != nil || len(text) < mostBeginning {
		return text, true, err
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return "", false, notText(path, at, kind)
	}
	return text[:strings.LastIndexByte(text, '\n')+1], false, nil
}

// notText returns the error for a zero byte in a text file.
func notText[T int | int64](path string, at T, kind Kind) error {
	return &Error{
		Path: path, Found: fmt.Sprintf("a byte 0 at offset %d", at), Expected: kind.name + ", which is text",
	}
}

// About returns information about a path. The error is an *Error.
func About(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, failed(path, err)
	}
	return info, nil
}

// Folder lists the contents of a folder. The error is an *Error.
func Folder(path string) ([]fs.DirEntry, error) {
	about, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, failed(path, err)
	case !about.IsDir(): // opening something else can block
		return nil, &Error{path, what(about.Mode()), "a folder", syscall.ENOTDIR}
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, failed(path, err)
	}
	return list, nil
}

// regular returns an error for anything but a regular file within the size limit.
func regular(path string, about fs.FileInfo, kind Kind) error {
	switch mode := about.Mode(); {
	case mode.IsDir():
		return &Error{path, "a folder", readable, syscall.EISDIR}
	case !mode.IsRegular():
		return &Error{Path: path, Found: what(mode), Expected: "a regular file"}
	case about.Size() > kind.most:
		return tooLarge(path, fmt.Sprintf("%d bytes", about.Size()), kind)
	}
	return nil
}

// what describes the type of a file in words.
func what(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

func tooLarge(path, found string, kind Kind) error {
	expected := fmt.Sprintf("%s of at most %s", kind.name, size(kind.most))
	if kind.why != "" {
		expected += " " + kind.why
	}
	return &Error{Path: path, Found: found, Expected: expected}
}

// size formats a limit in bytes.
func size(n int64) string {
	for _, u := range []struct {
		bytes int64
		name  string
	}{{tib, "TiB"}, {gib, "GiB"}, {mib, "MiB"}, {kib, "KiB"}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d %s", n/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// failed converts an error of the system to an *Error.
func failed(path string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return &Error{path, err.Error(), readable, err}
}

// text reads a file up to the limit. It does not rely on the file's size, because files can grow
// and some system files report no size.
func text(path string, r io.Reader, expected int64, kind Kind) (string, error) {
	b := builder{kind: kind, expected: min(expected, kind.most)}
	n, err := io.Copy(&b, io.LimitReader(r, kind.most+1))
	switch {
	case err != nil:
		return "", failed(path, err)
	case b.zero >= 0:
		return "", notText(path, b.zero, kind)
	case n > kind.most:
		return "", tooLarge(path, "more than "+size(kind.most), kind)
	}
	return b.String(), nil
}

// builder stores the contents of a file. It stops at the first byte that is invalid in this kind of
// file, and allocates memory for the rest only if the start is valid: a large file of another kind
// should not take memory.
type builder struct {
	strings.Builder
	kind     Kind
	expected int64 // bytes
	zero     int64 // offset of a zero byte in text; negative if there is none
}

// ReadFrom implements io.ReaderFrom, which io.Copy calls.
func (b *builder) ReadFrom(r io.Reader) (n int64, err error) {
	b.zero = -1
	piece := make([]byte, min(b.expected+1, mostBeginning))
	for {
		got, err := r.Read(piece)
		if at := bytes.IndexByte(piece[:got], 0); at >= 0 && !b.kind.whatever {
			b.zero = n + int64(at)
			return n, nil
		}
		if n == 0 {
			b.Grow(int(b.expected) + 1)
		}
		b.Write(piece[:got])
		n += int64(got)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// stdin caches the contents of standard input, which can be read only once.
var stdin struct {
	once sync.Once
	text string
	err  error
}

func standardInput(kind Kind) (string, error) {
	stdin.once.Do(func() { stdin.text, stdin.err = text("standard input", os.Stdin, 0, kind) })
	return stdin.text, stdin.err
}
