package dumpi

import (
	"encoding/binary"
	"fmt"

	"fabricast/trace"
)

// magic is the magic number at the start of a file and at the start of its index.
const magic = "\xff\xaa\xddDUMPI"

// footMagic is the magic number at the start of the footer.
const footMagic = 0xf007fee7

// bodyAt is the offset of the body in a truncated file, which has no index.
const bodyAt = int64(len(magic))

// layout holds the contents of all sections of a file except the body.
type layout struct {
	body, header int64
	sizes        []int64           // of datatypes, in bytes
	counts       *counts           // nil if unknown
	names        map[uint64]string // names of functions of the program by address
	damage       error             // error if the file is truncated and has no index, otherwise nil
}

// readLayout reads all sections except the body. If the file is truncated and has no index, it
// returns a layout whose damage is set: the calls can still be read.
func readLayout(path string) (*layout, error) {
	w := trace.Window{Path: path}
	start, err := w.Peek(len(magic))
	if err != nil {
		return nil, err
	}
	if !Is(start) {
		return nil, &trace.Error{
			File:     path,
			What:     "file",
			Found:    fmt.Sprintf("one that begins %q", start[:min(len(start), len(magic))]),
			Expected: "one of a rank's calls that DUMPI has written",
		}
	}
	size, err := w.Size()
	if err != nil {
		return nil, err
	}
	l := &layout{body: bodyAt, sizes: builtIn[:]}
	const sections = 7
	index := size - 8*(sections+1)
	w.Goto(max(0, index))
	data, err := w.Peek(8 * (sections + 1))
	if err != nil {
		return nil, err
	}
	if index < bodyAt || string(data[:8]) != magic {
		l.damage = &trace.Error{
			File:     path,
			Offset:   max(0, index),
			What:     "index",
			Found:    "none",
			Expected: "an index of sections at the end of a file that is whole",
		}
		return l, nil
	}
	var at [sections]int64
	for i := range at {
		at[i] = int64(binary.BigEndian.Uint64(data[8*(i+1):]))
		if at[i] < 0 || at[i] > index {
			return nil, &trace.Error{
				File:     path,
				Offset:   index + int64(8*(i+1)),
				What:     "index",
				Found:    fmt.Sprintf("a section at byte %d", at[i]),
				Expected: fmt.Sprintf("a place before the index at %d", index),
			}
		}
	}
	l.header, l.body = at[3], at[4]
	return l, l.sections(&w, at[0], at[1], at[5])
}

// sections reads the sections at the given offsets. 0 means that there is no such section.
func (l *layout) sections(w *trace.Window, sizes, addresses, footer int64) error {
	if err := l.version(w); err != nil {
		return err
	}
	if err := at(w, sizes, func(c *cursor) { l.datatypes(c) }); err != nil {
		return err
	}
	if err := at(w, addresses, func(c *cursor) { l.addresses(c) }); err != nil {
		return err
	}
	return at(w, footer, func(c *cursor) {
		if c.u64() != footMagic {
			return
		}
		l.counts = &counts{}
		for i := range l.counts.called {
			l.counts.called[i] = c.u32()
		}
		for i := range l.counts.ignored {
			l.counts.ignored[i] = c.u32()
		}
	})
}

// counts holds the number of calls of each function, as counted by the recorder. called counts all
// calls. ignored counts the calls that are not in the body: those made within MPI, and those made
// while recording is off.
type counts struct{ called, ignored [functionEnter]uint32 }

// recorded returns the number of calls of a function in the body. It may be negative in a damaged
// file.
func (c *counts) recorded(function int) int64 {
	return int64(c.called[function]) - int64(c.ignored[function])
}

// at calls read with a cursor at the section at offset place, again with more data if the section
// is longer. It does nothing if place is 0, which means that there is no such section.
func at(w *trace.Window, place int64, read func(*cursor)) error {
	if place == 0 {
		return nil
	}
	for want := 4 << 10; ; {
		w.Goto(place)
		data, err := w.Peek(want)
		if err != nil {
			return err
		}
		c := cursor{data: data}
		read(&c)
		if !c.short {
			return nil
		}
		if len(data) < want || c.need > longest {
			return &trace.Error{
				File:     w.Path,
				Offset:   place,
				What:     "section",
				Found:    "the end of the file",
				Expected: fmt.Sprintf("%d bytes", c.need),
			}
		}
		want = max(2*want, c.need)
	}
}

// version returns an error if the file was written by DUMPI before 0.6.9.
func (l *layout) version(w *trace.Window) error {
	var v [3]byte
	err := at(w, l.header, func(c *cursor) { v = [3]byte{c.u8(), c.u8(), c.u8()} })
	if err == nil && v[0] == 0 && (v[1] < 6 || v[1] == 6 && v[2] < 9) {
		err = &trace.Error{
			File:     w.Path,
			Offset:   l.header,
			What:     "version",
			Found:    fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]),
			Expected: "0.6.9 or newer",
		}
	}
	return err
}

// datatypes reads the section with the sizes of datatypes into l.sizes; 0 if unknown.
func (l *layout) datatypes(c *cursor) {
	n := c.length(4)
	l.sizes = make([]int64, max(n, len(builtIn)))
	copy(l.sizes, builtIn[:])
	for i := range n {
		if size := int64(int32(c.u32())); size > 0 {
			l.sizes[i] = size
		}
	}
}

// addresses reads the section with the names of functions of the program into l.names.
func (l *layout) addresses(c *cursor) {
	l.names = map[uint64]string{}
	const least = 10
	for range c.length(least) {
		address := c.u64()
		if n := int(c.u16()); c.take(n) {
			l.names[address] = string(c.data[c.at-n : c.at])
		}
	}
}

// builtIn holds the sizes of MPI's predefined datatypes in bytes, on 64-bit machines.
var builtIn = [28]int64{
	2: 1, 3: 1, 4: 1, 5: 1, 6: 4, 7: 2, 8: 2, 9: 4, 10: 4, 11: 8, 12: 8, 13: 4, 14: 8, 15: 16,
	16: 8, 17: 8, 18: 8, 19: 1,
	22: 8, 23: 12, 24: 12, 25: 6, 26: 8, 27: 20,
}
