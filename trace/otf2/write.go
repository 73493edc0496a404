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

// AnchorName is the name of the anchor file in the folder of a written archive.
const AnchorName = stemName + ".otf2"

// stemName is the name, without extension, of the files of a written archive. Score-P uses the same
// name.
const stemName = "traces"

// Writer writes an archive, which is a folder. Several goroutines may write different ranks
// concurrently, but only one may write each rank. The files are written incrementally to a
// temporary folder, so that memory does not grow with the trace. Close moves the folder to its
// final path.
type Writer struct {
	path, temp string
	ranks      []Rank

	mutex   sync.RWMutex
	members func(group int32) []int32
	groups  [][]int32                  // by group index in the archive; set by Close
	number  func(group int32) int32    // maps a group index of the records to that in the archive; nil: the same
	places  map[int32]map[int32]uint32 // by group: map from world rank to rank in the group; nil for all ranks
	blocks  int                        // maximum length of trace.Operation.Blocks
}

// Limits, in bytes, of the encoded events in memory: for all ranks, and the minimum and maximum for
// a rank.
const (
	mostRoom  = 256 << 20
	leastPart = 512
	mostPart  = 64 << 10
)

// Create returns a Writer of an archive in the folder path. Until Close, the archive is in a
// temporary folder in spoolIn. members returns the world ranks of a group; nil means all ranks (see
// [trace.Source]).
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

// replaceable returns an error if path exists and is not the folder of an archive.
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

// archive returns the folder to which the archive is written until Close. Only the user can access
// its parent folder; the folder itself has normal permissions.
func (w *Writer) archive() string { return filepath.Join(w.temp, "archive") }

// file returns the path of a file of a rank's location.
func (w *Writer) file(rank int, ending string) string {
	return filepath.Join(w.archive(), stemName, strconv.Itoa(rank)+ending)
}

// Rank returns the writer of a rank.
func (w *Writer) Rank(rank int) *Rank { return &w.ranks[rank] }

// Renumber replaces the group indices in the archive: group of the records becomes number(group).
// The index of the world must not change. Call Renumber after the last record.
func (w *Writer) Renumber(number func(group int32) int32) error {
	w.number = number
	return nil
}

// Close completes the archive and moves it to its final path. groups are the groups by their index
// in the archive, and factor is the factor by which computation times have been multiplied. Close
// returns a *trace.HoldError if OTF2 cannot represent a record.
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

// Abandon deletes the temporary folder. Unless Close has succeeded, it thereby discards the
// archive.
func (w *Writer) Abandon() { _ = os.RemoveAll(w.temp) }

// place returns a world rank's rank in a group.
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

// index stores and returns the map from world rank to rank in the group; nil if the group is all
// ranks.
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

// hasBlocks records that n is the length of trace.Operation.Blocks of a collective.
func (w *Writer) hasBlocks(n int) {
	w.mutex.Lock()
	w.blocks = max(w.blocks, n)
	w.mutex.Unlock()
}

// size returns the number of ranks in a group.
func (w *Writer) size(group int32) int {
	w.place(group, 0)
	w.mutex.RLock()
	defer w.mutex.RUnlock()
	if places := w.places[group]; places != nil {
		return len(places)
	}
	return len(w.ranks)
}

// fail returns an error: OTF2 cannot represent an item of a rank, described by format and args.
func fail(rank int32, format string, args ...any) error {
	return &trace.HoldError{Format: "OTF2", Rank: int(rank), What: fmt.Sprintf(format, args...)}
}
