package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"fabricast/internal/input"
	"fabricast/internal/units"
)

// KeptFolder is the folder, beside the last checkpoint, of earlier ones that are kept for a look
// back.
const KeptFolder = "checkpoints"

// kept is a checkpoint that is kept. Its number among those of the run and the time from which on it
// has all that happens (Header.Ahead) are its name.
type kept struct {
	number uint64
	time   units.Time
	path   string
}

const keptName = "%08d-%020dps.fbc"

// Keep keeps the checkpoint at a path, beside it, as the one with a number, from 0, of its run. At
// most n are kept, at least 2: those whose numbers are multiples of a power of two. So their
// distances are even, and double when there would be too many. It copies nothing.
func Keep(path string, h *Header, n int) error {
	folder := filepath.Join(filepath.Dir(path), KeptFolder)
	list, err := listKept(folder)
	if err != nil {
		return err
	}
	stride := uint64(1)
	if len(list) > 1 {
		stride = list[1].number - list[0].number
	}
	if h.Number%stride != 0 {
		return nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	to := filepath.Join(folder, fmt.Sprintf(keptName, h.Number, int64(h.Ahead)))
	if err := os.Link(path, to); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if len(list)+1 <= n {
		return nil
	}
	for _, k := range list {
		if k.number%(2*stride) != 0 {
			err = errors.Join(err, os.Remove(k.path))
		}
	}
	if h.Number%(2*stride) != 0 {
		err = errors.Join(err, os.Remove(to))
	}
	return err
}

// DropKept removes the checkpoints that are kept in the folder of a run, from the one with a number
// on.
func DropKept(folder string, from uint64) error {
	list, err := listKept(filepath.Join(folder, KeptFolder))
	for _, k := range list {
		if k.number >= from {
			err = errors.Join(err, os.Remove(k.path))
		}
	}
	return err
}

// listKept lists the checkpoints in a folder of kept ones by their numbers.
func listKept(folder string) (list []kept, err error) {
	entries, err := input.Folder(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if k, ok := keptAs(folder, e.Name()); ok {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b kept) int { return int(int64(a.number) - int64(b.number)) })
	return list, err
}

// keptAs reads the name of a kept checkpoint in a folder. It returns false if the name is another one.
func keptAs(folder, name string) (k kept, ok bool) {
	var ps int64
	n, _ := fmt.Sscanf(name, keptName, &k.number, &ps)
	k.time, k.path = units.Time(ps), filepath.Join(folder, name)
	return k, n == 2
}

// OnlyKept reports whether a folder holds nothing but checkpoints that are kept.
func OnlyKept(folder string) bool {
	entries, err := input.Folder(folder)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		_, ok := keptAs(folder, e.Name())
		return !ok || !e.Type().IsRegular()
	})
}

// Before returns the path of the latest checkpoint in the folder of a run that has all that happens
// from a time on, and the path of the earliest one. Both are "" if there is none.
func Before(folder string, t units.Time) (latest, earliest string, err error) {
	list, err := before(folder, t)
	for _, k := range list {
		if k.time <= t {
			latest = k.path
		}
	}
	if len(list) > 0 {
		earliest = list[0].path
	}
	return latest, earliest, err
}

// Times returns the simulated times from which on the checkpoints in the folder of a run have all
// that happens, in ascending order; none if there are none.
func Times(folder string) (times []units.Time, err error) {
	list, err := before(folder, math.MaxInt64)
	for _, k := range list {
		times = append(times, k.time)
	}
	return times, err
}

// before lists the checkpoints in the folder of a run: those that are kept, and the last one, which
// is only opened if none that is kept is later than a time.
func before(folder string, t units.Time) ([]kept, error) {
	list, err := listKept(filepath.Join(folder, KeptFolder))
	if err != nil || len(list) > 0 && list[len(list)-1].time > t {
		return list, err
	}
	last := filepath.Join(folder, Name)
	f, err := Open(last)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return list, nil
	case err != nil:
		return nil, err
	}
	defer f.Close()
	return append(list, kept{time: f.Ahead, path: last}), nil
}
