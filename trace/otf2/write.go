package otf2

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"fabricast/internal/input"
	"fabricast/trace"
)

// AnchorName is the name of the anchor file in the folder of an archive.
const AnchorName = stemName + ".otf2"

// stemName is the name of an archive's files without their endings, as Score-P has it.
const stemName = "traces"

// Writer writes an archive, which is a folder. Several goroutines may write ranks in parallel, but
// each rank only one at a time. Memory does not grow with the trace: files are written piece by
// piece, in a temporary folder until Close.
type Writer struct {
	path, temp string
	ranks      []Rank

	mutex   sync.RWMutex
	members func(group int32) []int32
	groups  [][]int32                  // by their numbers in the archive; after Close
	number  func(group int32) int32    // in the archive; nil: the same
	places  map[int32]map[int32]uint32 // by group: the places of its members, unless it is all
	blocks  int                        // the most of a collective
}

// Bounds of the memory (bytes) for records not yet written, for all ranks and for each.
const (
	mostRoom  = 256 << 20
	leastPart = 512
	mostPart  = 64 << 10
)

// Create begins an archive in a folder. Until Close the archive is in a temporary folder in
// spoolIn. members returns the ranks of a group, nil for all (see [trace.Source]).
func Create(
	path, spoolIn string, ranks int, members func(group int32) []int32,
) (*Writer, error) {
	if err := replaceable(path); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(spoolIn, ".trace-*")
	if err != nil {
		return nil, err
	}
	w := &Writer{
		path:    path,
		temp:    temp,
		ranks:   make([]Rank, ranks),
		members: members,
		places:  map[int32]map[int32]uint32{},
	}
	if err := os.MkdirAll(filepath.Join(w.archive(), stemName), 0o777); err != nil {
		w.Abandon()
		return nil, err
	}
	for i := range w.ranks {
		w.ranks[i] = Rank{w: w, rank: int32(i), file: newChunks(w.file(i, ".evt"), leastChunk, true)}
	}
	return w, nil
}

// replaceable returns an error unless nothing, or another archive, exists at a path.
func replaceable(path string) error {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	entries, err := input.Folder(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case stemName, AnchorName, stemName + ".def":
		default:
			return fmt.Errorf("%s: found %s in it, expected a new name or an archive", path, e.Name())
		}
	}
	return nil
}

// archive returns the folder of the archive during writing. It is inside a folder that only this
// user can read, and has normal permissions itself.
func (w *Writer) archive() string { return filepath.Join(w.temp, "archive") }

// file returns the path of a location's file.
func (w *Writer) file(rank int, ending string) string {
	return filepath.Join(w.archive(), stemName, strconv.Itoa(rank)+ending)
}

// Rank returns the writer of a rank.
func (w *Writer) Rank(rank int) *Rank { return &w.ranks[rank] }

// Renumber makes the archive have other numbers of groups than the records. That of all ranks stays.
// Call it after the last record.
func (w *Writer) Renumber(number func(group int32) int32) error {
	w.number = number
	return nil
}

// Close writes what is left, with the groups of ranks by their numbers in the archive, and the
// factor by which computation has been multiplied. It returns a *trace.HoldError if the archive
// cannot represent something.
func (w *Writer) Close(groups [][]int32, factor float64) error {
	defer w.Abandon()
	w.groups = groups
	for i := range w.ranks {
		if err := w.ranks[i].end(); err != nil {
			return err
		}
	}
	d := newGlobal(w)
	if err := d.write(); err != nil {
		return err
	}
	for i := range w.ranks {
		if err := w.ranks[i].writeLocal(d); err != nil {
			return err
		}
	}
	if err := w.writeAnchor(d, factor); err != nil {
		return err
	}
	old := filepath.Join(w.temp, "old")
	if err := os.Rename(w.path, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(w.archive(), w.path)
}

// Abandon discards the archive, unless it has been closed.
func (w *Writer) Abandon() { _ = os.RemoveAll(w.temp) }

// place returns the index of a rank in a group.
func (w *Writer) place(group, rank int32) (place uint32, found bool) {
	w.mutex.RLock()
	places, known := w.places[group]
	w.mutex.RUnlock()
	if !known {
		places = w.index(group)
	}
	if places == nil {
		return uint32(rank), rank >= 0 && int(rank) < len(w.ranks)
	}
	place, found = places[rank]
	return place, found
}

// index returns the indexes of a group's members.
func (w *Writer) index(group int32) map[int32]uint32 {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var places map[int32]uint32
	if list := w.members(group); list != nil {
		places = make(map[int32]uint32, len(list))
		for i, rank := range list {
			places[rank] = uint32(i)
		}
	}
	w.places[group] = places
	return places
}

// hasBlocks records that a collective has so many blocks.
func (w *Writer) hasBlocks(n int) {
	w.mutex.Lock()
	w.blocks = max(w.blocks, n)
	w.mutex.Unlock()
}

// size returns the number of a group's members.
func (w *Writer) size(group int32) int {
	w.place(group, 0)
	w.mutex.RLock()
	defer w.mutex.RUnlock()
	if places := w.places[group]; places != nil {
		return len(places)
	}
	return len(w.ranks)
}

// fail returns the error for something of a rank that the archive cannot represent.
func fail(rank int32, format string, args ...any) error {
	return &trace.HoldError{Format: "OTF2", Rank: int(rank), What: fmt.Sprintf(format, args...)}
}
