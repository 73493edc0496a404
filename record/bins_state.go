package record

import (
	"errors"
	"maps"
	"slices"

	"fabricast/internal/snapshot"
)

// State saves or restores all bins that have been added. It must be called between two simulation
// windows. Saving moves the complete bins to files next to the checkpoints of the run.
func (w *BinWriter) State(v *snapshot.Visitor) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.err != nil {
		v.Fail(w.err)
	}
	w.links.state(v)
	w.buffers.state(v)
	snapshot.Values(v, w.next)
	snapshot.Value(v, &w.complete)
	begins := slices.Sorted(maps.Keys(w.waiting))
	for i := range v.Length(len(begins)) {
		var begin, interval int64
		if !v.Restores() {
			begin = begins[i]
			interval = w.waiting[begin].interval
		}
		snapshot.Value(v, &begin)
		snapshot.Value(v, &interval)
		j := w.join(begin, interval)
		snapshot.List(v, &j.links)
		snapshot.List(v, &j.buffers)
	}
}

// binPlace is the position of a bin in the spill file.
type binPlace struct {
	Offset int64
	Size   int32
}

// state saves or restores the positions of the bins in the spill file. Saving first moves all bins
// to that file.
func (s *binStore) state(v *snapshot.Visitor) {
	places := make([]binPlace, 0, len(s.bins))
	if !v.Restores() {
		if err := s.spillAll(); err != nil {
			v.Fail(err)
		}
		for i := range s.bins {
			places = append(places, binPlace{s.bins[i].offset, s.bins[i].size})
		}
	}
	snapshot.Value(v, &s.interval)
	snapshot.List(v, &places)
	if !v.Flag(s.spill != nil) {
		return
	}
	if v.Restores() {
		var err error
		if s.spill, err = s.begin(); err != nil {
			v.Fail(err)
			return
		}
	}
	if s.spill.state(v); !v.Restores() || v.Err() != nil {
		return
	}
	s.bins = make([]storedBin, len(places))
	for i, p := range places {
		if p.Offset < 0 || p.Size < 0 || p.Offset+int64(p.Size) > s.spill.size {
			v.Fail(errors.New("a bin is not in its file"))
			return
		}
		s.bins[i] = storedBin{offset: p.Offset, size: p.Size}
	}
}

// spillAll moves all bins in memory to the spill file. After an error, the remaining bins stay in
// memory.
func (s *binStore) spillAll() error {
	for i := range s.bins {
		if b := &s.bins[i]; b.data != nil {
			if err := s.spillBin(b, b.data); err != nil {
				return err
			}
			s.memory -= int64(b.size)
		}
	}
	return nil
}
