package otf2

import (
	"errors"
	"io"
	"io/fs"
	"math/bits"
)

// Kinds of records in files of local definitions.
const (
	defMapping     = 5
	defClockOffset = 6
)

// Types of mappings from local IDs of a location to global IDs.
const (
	mapRegion = 3
	mapComm   = 6
	mapWindow = 8
)

// local holds the local definitions of a location. The tables map local IDs to global IDs.
type local struct {
	regions, communicators, windows table[uint64]
	offsets                         []offset
	passed                          int // number of offsets measured before the last corrected time
}

// offset is a correction of the clock of a location: plus ticks must be added at time at.
type offset struct {
	at   uint64
	plus int64
}

// readLocal reads a file of local definitions. If the file does not exist, there are none.
func readLocal(path string) (*local, error) {
	r := &records{buffer: buffer{path: path}}
	l := &local{}
	var f fields
	for {
		kind, err := r.next(&f)
		switch {
		case err == io.EOF, errors.Is(err, fs.ErrNotExist):
			return l, nil
		case err != nil:
			return nil, err
		}
		switch kind {
		case defMapping:
			l.mapping(&f)
		case defClockOffset:
			l.offsets = append(l.offsets, offset{at: f.fixed(), plus: int64(f.uint())})
		}
		if f.wrong {
			return nil, r.fail("local definition", "a record that is too short", "all of its fields")
		}
	}
}

// mapping reads a dense or sparse mapping from local IDs to global IDs.
func (l *local) mapping(f *fields) {
	var global *table[uint64]
	switch f.u8() {
	case mapRegion:
		global = &l.regions
	case mapComm:
		global = &l.communicators
	case mapWindow:
		global = &l.windows
	}
	n := f.uint()
	sparse := f.u8() == 1
	for i := uint64(0); i < n && !f.wrong; i++ {
		from := i
		if sparse {
			from = f.uint()
		}
		to := f.uint()
		if global != nil {
			global.put(from, to)
		}
	}
}

// global returns the global ID for local ID n: n itself if t has no entry.
func global(t *table[uint64], n uint64) uint64 {
	if g, found := t.get(n); found {
		return g
	}
	return n
}

// corrected converts a time of the clock of the location to the common clock, both in ticks.
func (l *local) corrected(t uint64) uint64 {
	if len(l.offsets) == 0 {
		return t
	}
	return l.shifted(t)
}

// shifted implements corrected for a location with offsets. It interpolates linearly between the
// measured offsets before and after t. Before the first and after the last one, the offset is
// constant.
func (l *local) shifted(t uint64) uint64 {
	list := l.offsets
	i := l.passed // times are nearly always ascending
	for i < len(list) && list[i].at <= t {
		i++
	}
	for i > 0 && list[i-1].at > t {
		i--
	}
	l.passed = i
	switch i {
	case 0:
		return t + uint64(list[0].plus)
	case len(list):
		return t + uint64(list[i-1].plus)
	}
	a, b := list[i-1], list[i]
	drift, negative := uint64(b.plus-a.plus), b.plus < a.plus
	if negative {
		drift = -drift
	}
	hi, lo := bits.Mul64(drift, t-a.at)
	part, _ := bits.Div64(hi%(b.at-a.at), lo, b.at-a.at)
	if negative {
		part = -part
	}
	return t + uint64(a.plus) + part
}
