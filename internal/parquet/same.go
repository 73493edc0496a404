package parquet

import (
	"bytes"
	"reflect"
)

// SameGroups returns how many row groups at the beginning of two files are the same, byte by byte. It
// decodes none of them.
func SameGroups(a, b *File) (groups int, err error) {
	if !reflect.DeepEqual(a.footer.Schema, b.footer.Schema) {
		return 0, nil
	}
	most := min(len(a.footer.RowGroups), len(b.footer.RowGroups))
	for groups < most && reflect.DeepEqual(a.footer.RowGroups[groups], b.footer.RowGroups[groups]) {
		g := &a.footer.RowGroups[groups] // it says where its bytes are, and by what they are encoded
		same := g.FileOffset > 0
		for from, end := g.FileOffset, g.FileOffset+g.TotalCompressedSize; same && from < end; {
			n := min(end-from, compared)
			left, err := a.read(from, n)
			if err != nil {
				return groups, err
			}
			right, err := b.read(from, n)
			if err != nil {
				return groups, err
			}
			same = bytes.Equal(left, right)
			from += n
		}
		if !same {
			break
		}
		groups++
	}
	return groups, nil
}

// compared is the number of bytes that are compared at once.
const compared = 1 << 20

// From returns the file without its first row groups.
func (f *File) From(groups int) *File {
	rest := *f
	rest.footer.RowGroups = f.footer.RowGroups[groups:]
	for _, g := range f.footer.RowGroups[:groups] {
		rest.footer.NumRows -= g.NumRows
		rest.first += g.NumRows
	}
	return &rest
}
