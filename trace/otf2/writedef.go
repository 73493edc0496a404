package otf2

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// IDs of definition records that only the writer uses, and values of their fields.
const (
	defAttribute  = 11
	defTreeNode   = 12
	defParameter  = 23
	defWindow     = 24
	typeProcess   = 1
	typeThread    = 1
	typeUint64    = 4
	typeComm      = 17
	parameterUint = 1

	paradigmUser = 1
)

// Types of groups in version 1 of OTF2, which group definitions still contain.
const (
	oldGroupLocations = 6
	oldGroup          = 4
	oldGroupSelf      = 5
)

// globalWriter writes the global definitions.
type globalWriter struct {
	w       *Writer
	file    chunks
	chunk   int
	strings map[string]uint64
	regions map[string]uint64 // IDs of regions of the program, by name
}

func newGlobal(w *Writer) *globalWriter {
	// the largest record is a list of all ranks, or of two communicators per group of a location
	const perNumber, rest = 6, 4 << 10
	most := len(w.ranks)
	for i := range w.ranks {
		most = max(most, 2*len(w.ranks[i].groups))
	}
	chunk := leastChunk
	for chunk < mostChunk && chunk < perNumber*most+rest {
		chunk *= 2
	}
	return &globalWriter{
		w:       w,
		chunk:   chunk,
		file:    newChunks(filepath.Join(w.archive(), stemName+".def"), chunk, false),
		strings: map[string]uint64{},
		regions: map[string]uint64{},
	}
}

// numbers returns the integers in list as encoded fields of a record.
func numbers(list ...uint64) (b []byte) {
	for _, n := range list {
		b = appendInt(b, n)
	}
	return b
}

func (d *globalWriter) add(kind byte, fields []byte) {
	d.file.add(0, nil, appendRecord(nil, kind, fields))
	if len(d.file.b) >= mostPart {
		d.file.save()
	}
}

// text returns the ID of a string. If the string is new, text writes its definition.
func (d *globalWriter) text(s string) uint64 {
	id, known := d.strings[s]
	if !known {
		id = uint64(len(d.strings))
		d.strings[s] = id
		d.add(defString, appendText(numbers(id), s))
	}
	return id
}

// none is the encoding of an undefined reference.
const none = 0xff

// write writes all global definitions.
func (d *globalWriter) write() error {
	const ticks = 1_000_000_000_000 // times are in ps
	length := int64(0)
	for i := range d.w.ranks {
		length = max(length, d.w.ranks[i].now)
	}
	d.add(defClock, append(numbers(ticks, 0, uint64(length+1)), none))
	d.text("")
	names := attributeNames[:]
	for i := range d.w.blocks {
		names = append(names, fmt.Sprintf("block %d (bytes)", i))
	}
	for i, name := range names {
		id := d.text("FABRICAST: " + name)
		d.add(defAttribute, append(append(numbers(uint64(i), id), typeOf(uint64(i))), numbers(id)...))
	}
	for i, name := range parameterNames {
		d.add(defParameter, append(numbers(uint64(i), d.text("FABRICAST: "+name)), parameterUint))
	}
	d.places()
	for i, r := range regions() {
		d.region(uint64(i), r.name, r.role, paradigmMPI)
	}
	for i := range d.w.ranks {
		for _, name := range d.w.ranks[i].names {
			if _, known := d.regions[name]; !known {
				id := uint64(len(regions()) + len(d.regions))
				d.regions[name] = id
				d.region(id, name, roleFunction, paradigmOf(name))
			}
		}
	}
	d.communicators()
	return d.file.end()
}

// paradigmOf returns the paradigm of a region that is not in regions: a region of the program, or a
// call that cannot be replayed.
func paradigmOf(name string) byte {
	if isSkipped(name) {
		return paradigmMPI
	}
	return paradigmUser
}

func (d *globalWriter) region(id uint64, name string, role, paradigm byte) {
	text, empty := d.text(name), d.text("")
	f := append(numbers(id, text, empty), role)
	f = append(f, numbers(empty, 0, 0, text)...)
	d.add(defRegion, append(f, role, paradigm, 0))
}

// places writes the system tree: a machine with a process per rank.
func (d *globalWriter) places() {
	machine := d.text("machine")
	d.add(defTreeNode, append(numbers(0, d.text("simulated machine"), machine), none))
	thread := d.text("Master thread")
	for i := range d.w.ranks {
		name := d.text("MPI Rank " + strconv.Itoa(i))
		d.add(defLocationGroup, append(
			append(numbers(uint64(i), name), typeProcess), append(numbers(0), none)...,
		))
		f := append(numbers(uint64(i), thread), typeThread)
		d.add(defLocation, append(f, numbers(d.w.ranks[i].file.records, uint64(i))...))
	}
}

// group writes the definition of a group with n members; if members is nil, they are ranks 0 to
// n-1.
func (d *globalWriter) group(id uint64, name string, members []int32, n int, oldKind, kind byte) {
	f := append(numbers(id, d.text(name)), oldKind)
	f = appendInt(f, uint64(n))
	for i := range n {
		rank := i
		if members != nil {
			rank = int(members[i])
		}
		f = appendInt(f, uint64(rank))
	}
	d.add(defGroup, append(f, kind, paradigmMPI, 0))
}

// communicators writes the definitions of all groups, communicators and the RMA window.
func (d *globalWriter) communicators() {
	ranks := len(d.w.ranks)
	d.group(0, "MPI locations", nil, ranks, oldGroupLocations, groupCommLocations)
	d.group(1, "MPI_COMM_SELF", nil, 0, oldGroupSelf, groupCommSelf)
	d.communicator(selfComm, "MPI_COMM_SELF", 1)
	for i, members := range d.w.groups {
		name, n := "MPI_COMM_WORLD", ranks
		if i > 0 {
			name = fmt.Sprintf("communicator %d", i)
		}
		if members != nil {
			n = len(members)
		}
		id := uint64(2 + i)
		d.group(id, name, members, n, oldGroup, groupCommGroup)
		d.communicator(commOf(int32(i), 0), name, id)
	}
	for i := range d.w.ranks {
		if d.w.ranks[i].puts {
			d.add(defWindow, numbers(window, d.text("memory of all ranks"), firstGroup, 0))
			return
		}
	}
}

// communicator writes two communicators of a group: id for the messages of the program and, as its
// child, id+1 for the messages of collectives.
func (d *globalWriter) communicator(id uint64, name string, group uint64) {
	d.add(defComm, append(append(numbers(id, d.text(name), group), none), 0))
	d.add(defComm, append(numbers(id+1, d.text("collectives of "+name), group, id), 0))
}

// typeOf returns the OTF2 type of an attribute.
func typeOf(attribute uint64) byte {
	if attribute == atComm {
		return typeComm
	}
	return typeUint64
}

// writeLocal writes the local definitions of the rank: the mappings from local IDs of regions and
// communicators to global IDs.
func (k *Rank) writeLocal(d *globalWriter) error {
	file := newChunks(k.w.file(int(k.rank), ".def"), d.chunk, false)
	if len(k.names) > 0 {
		const dense = 0
		own := len(regions())
		f := appendInt([]byte{mapRegion}, uint64(own+len(k.names)))
		f = append(f, dense)
		for i := range own {
			f = appendInt(f, uint64(i))
		}
		for _, name := range k.names {
			f = appendInt(f, d.regions[name])
		}
		file.add(0, nil, appendRecord(nil, defMapping, f))
	}
	if groups := k.numbers(); !inOrder(groups) {
		file.add(0, nil, appendRecord(nil, defMapping, mappingOf(groups)))
	}
	return file.end()
}

// numbers returns the group indices in the archive by group index of the location (see
// Rank.groups).
func (k *Rank) numbers() []int32 {
	list := slices.Clone(k.groups)
	if k.w.number != nil && !k.taken {
		for i, group := range list {
			list[i] = k.w.number(group)
		}
	}
	return list
}

// inOrder reports whether numbers is 0, 1, 2, ...
func inOrder(numbers []int32) bool {
	for i, n := range numbers {
		if int(n) != i {
			return false
		}
	}
	return true
}

// mappingOf returns the encoded fields of the mapping from local to global communicator IDs. groups
// holds the group indices in the archive by group index of the location.
func mappingOf(groups []int32) []byte {
	const dense = 0
	f := appendInt([]byte{mapComm}, commOf(int32(len(groups)), 0))
	f = append(f, dense)
	for own := range uint64(firstGroup) {
		f = appendInt(f, own)
	}
	for _, group := range groups {
		f = appendInt(appendInt(f, commOf(group, 0)), commOf(group, 1))
	}
	return f
}

// writeAnchor writes the anchor file.
func (w *Writer) writeAnchor(d *globalWriter, factor float64) error {
	const formatVersion, posix, uncompressed = "\x03\x02", substratePOSIX, 1
	b := append([]byte{chunkHeader, littleEndian}, magic...)
	b = append(b, formatVersion...)
	b = append(b[:versionAt], 3, 0, 2)
	b = binary.LittleEndian.AppendUint64(b, leastChunk)
	b = binary.LittleEndian.AppendUint64(b, uint64(d.chunk))
	b = append(b, posix, uncompressed)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(w.ranks)))
	b = binary.LittleEndian.AppendUint64(b, d.file.records)
	for _, s := range [...]string{"simulated machine", "Fabricast", ""} {
		b = appendText(b, s)
	}
	b = binary.LittleEndian.AppendUint32(b, 1) // properties
	b = appendText(appendText(b, factorProperty), strconv.FormatFloat(factor, 'g', -1, 64))
	id := fnv.New64a()
	for i := range w.ranks {
		id.Write(numbers(uint64(w.ranks[i].now), w.ranks[i].file.records))
	}
	b = binary.LittleEndian.AppendUint64(b, id.Sum64())
	b = binary.LittleEndian.AppendUint32(b, 0) // snapshots
	b = binary.LittleEndian.AppendUint32(b, 0) // thumbnails
	b = append(b, endOfFile, endOfChunk, padding)
	return os.WriteFile(filepath.Join(w.archive(), AnchorName), b, 0o666)
}
