package otf2

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"fabricast/internal/input"
	"fabricast/trace"
)

// magic is the magic number of anchor files, which follows the first two bytes of the chunk header.
const magic = "OTF2\x00"

// Offsets in an anchor file of the version (three bytes) and the substrate. The sizes of chunks are
// between them.
const (
	versionAt   = 9
	substrateAt = 28
)

// substratePOSIX is the ID of the substrate POSIX, which stores one file per location.
const substratePOSIX = 1

// Is reports whether begin is the start of an anchor file.
func Is(begin []byte) bool {
	return len(begin) >= 2+len(magic) && begin[0] == chunkHeader && string(begin[2:2+len(magic)]) == magic
}

// textsAt is the offset in an anchor file of three strings: the machine, the creator and a
// description. They are followed by the number of properties in four bytes, and the name and value
// of each property.
const textsAt = 46

// mostAnchor is the maximum number of bytes to read from an anchor file.
const mostAnchor = 64 << 10

// checkAnchor returns the properties of the archive with the anchor file path. It returns an error
// if the version or the substrate is not supported.
func checkAnchor(path string) (properties map[string]string, err error) {
	f, size, err := input.Open(path, input.Trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	begin := make([]byte, max(substrateAt+1, min(size, mostAnchor)))
	n, err := io.ReadFull(f, begin)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if err := checkBegin(path, begin, n); err != nil {
		return nil, err
	}
	return readProperties(begin[:n]), nil
}

// readProperties returns the properties in the contents of an anchor file. It omits damaged
// properties.
func readProperties(anchor []byte) map[string]string {
	if len(anchor) < textsAt {
		return nil
	}
	f := fields{data: anchor, at: textsAt, end: len(anchor), big: anchor[1] == bigEndian}
	for range 3 {
		f.text()
	}
	list := map[string]string{}
	for n := f.sized(4); n > 0 && !f.wrong; n-- {
		name := f.text()
		list[name] = f.text()
	}
	return list
}

// checkBegin checks the version and the substrate in the first n bytes of an anchor file.
func checkBegin(path string, begin []byte, n int) error {
	fail := func(at int64, what, found, expected string) error {
		return &trace.Error{File: path, Offset: at, What: what, Found: found, Expected: expected}
	}
	if !Is(begin[:n]) || n <= substrateAt {
		return fail(0, "anchor file", fmt.Sprintf("%q", begin[:min(n, 7)]), "an OTF2 anchor file")
	}
	if major := begin[versionAt]; major < 2 || major > 3 {
		version := fmt.Sprintf("%d.%d.%d", major, begin[versionAt+1], begin[versionAt+2])
		return fail(versionAt, "version", version, "2.0 to 3.x")
	}
	if s := begin[substrateAt]; s != substratePOSIX {
		return fail(
			substrateAt, "substrate", fmt.Sprintf("number %d", s),
			"1, a file for each location (POSIX)",
		)
	}
	return nil
}

// ending is the file name extension of anchor files.
const ending = ".otf2"

// archive returns the path of the anchor file of an archive, and that path without its extension.
// path is the anchor file or the folder that contains it.
func archive(path string) (anchor, stem string, err error) {
	info, err := input.About(path)
	if err != nil {
		return "", "", err
	}
	if info.IsDir() {
		entries, err := trace.Entries(path)
		if err != nil {
			return "", "", err
		}
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
			return !strings.HasSuffix(e.Name(), ending)
		})
		if len(entries) != 1 {
			return "", "", &trace.Error{
				File:     path,
				What:     "archive",
				Found:    fmt.Sprintf("%d anchor files", len(entries)),
				Expected: "one file that ends in " + ending,
			}
		}
		path = filepath.Join(path, entries[0].Name())
		if info, err := input.About(path); err == nil && info.IsDir() {
			return archive(path) // the archive is a folder in a folder of results
		}
	}
	stem, isAnchor := strings.CutSuffix(path, ending)
	if !isAnchor {
		return "", "", &trace.Error{
			File:     path,
			What:     "archive",
			Found:    filepath.Base(path),
			Expected: "an anchor file, which ends in " + ending,
		}
	}
	return path, stem, nil
}
