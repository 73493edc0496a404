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

// KeptFolder is the folder, next to the last checkpoint, with earlier checkpoints. From these,
// earlier periods of the run can be simulated again.
const KeptFolder = "checkpoints"

// kept is an earlier checkpoint that is kept. Its file name consists of its number in the run and
// of Header.Ahead.
type kept struct {
	number uint64
	time   units.Time
	path   string
}

const keptName = "%08d-%020dps.fbc"

// Keep keeps the checkpoint at path, with the given number (from 0) in its run, in KeptFolder. At
// most n checkpoints are kept (n is at least 2): those whose numbers are multiples of a power of
// two. So the distances between them are even, and double when there would be more than n. Nothing
// is copied.
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

// DropKept removes the kept checkpoints in the folder of a run whose number is `from` or higher.
func DropKept(folder string, from uint64) error {
	list, err := listKept(filepath.Join(folder, KeptFolder))
	for _, k := range list {
		if k.number >= from {
			err = errors.Join(err, os.Remove(k.path))
		}
	}
	return err
}

// listKept lists the kept checkpoints in a folder in the order of their numbers.
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

// keptAs parses the file name of a kept checkpoint. It returns false for other names.
func keptAs(folder, name string) (k kept, ok bool) {
	var ps int64
	n, _ := fmt.Sscanf(name, keptName, &k.number, &ps)
	k.time, k.path = units.Time(ps), filepath.Join(folder, name)
	return k, n == 2
}

// OnlyKept reports whether a folder contains nothing but kept checkpoints.
func OnlyKept(folder string) bool {
	entries, err := input.Folder(folder)
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		_, ok := keptAs(folder, e.Name())
		return !ok || !e.Type().IsRegular()
	})
}

// Before returns the path of the latest checkpoint of a run that records everything from time t on,
// and the path of the earliest checkpoint. Both are "" if there is none.
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

// Times returns the values of Header.Ahead of the checkpoints in the folder of a run, in ascending
// order.
func Times(folder string) (times []units.Time, err error) {
	list, err := before(folder, math.MaxInt64)
	for _, k := range list {
		times = append(times, k.time)
	}
	return times, err
}

// before lists the checkpoints in the folder of a run: the kept ones, and the last one. The last
// one is opened only if no kept one is later than t.
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
