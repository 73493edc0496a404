package run

import (
	"errors"
	"sync/atomic"

	"fabricast/engine"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// sizeOf returns the number of processes of a group, which is nil for one process.
func sizeOf(g cluster.Group) int { return max(1, several(g)) }

// asks returns what all processes together want when the engine has stopped: whether they want a
// checkpoint, and whether the run ends with it. failed says that the run has ended otherwise. All
// processes must call it at the same place of the run. v may be nil.
func (v *saver) asks(halted *atomic.Bool, failed bool) (wants, last bool) {
	if v == nil {
		return false, false
	}
	values := []int64{0, 0, 0}
	for i, is := range []bool{v.wants.Load(), v.ends.Load(), failed || halted.Load()} {
		if is {
			values[i] = -1
		}
	}
	if cluster.Several(v.group) {
		v.group.Least(values)
	}
	if values[1] < 0 {
		v.ends.Store(true)
	}
	return values[0]+values[1] < 0 && values[2] == 0, values[1] < 0
}

// agree makes an error of any process in a checkpoint one of all.
func (v *saver) agree(err error) error {
	if cluster.Any(v.group, err != nil) && err == nil {
		return engine.ErrElsewhere
	}
	return err
}

// Sections of a checkpoint go from the other processes to the first, one process after the other, in
// messages of a chunk, each preceded by a byte of these.
const (
	isChunk       = 1 << iota // a chunk follows
	lastOfSection             // it ends a section
	failedToSave              // the text of an error follows
)

// sections are those of the other processes, for the first one.
type sections struct {
	group cluster.Group
	next  int // process whose sections are to come
}

func newSections(g cluster.Group) *sections { return &sections{g, 1} }

// take passes on all chunks of the sections that have not come yet, and errors of those who save them.
func (s *sections) take(put func(chunk []byte, last bool), fail func(error)) {
	for ; s.next < sizeOf(s.group); s.next++ {
		for over := false; !over; {
			var data []byte
			data, over = cluster.ExchangeChunk(s.group, s.next, nil, false)
			switch {
			case len(data) == 0:
			case data[0]&failedToSave != 0:
				fail(errors.New(string(data[1:])))
			case data[0]&isChunk != 0:
				put(data[1:], data[0]&lastOfSection != 0)
			}
		}
	}
}

// sendSections sends the sections that a walk goes over to the first process. It returns when those of
// all processes have been sent.
func sendSections(g cluster.Group, walk func(*snapshot.Visitor)) error {
	var err error
	for p := 1; p < g.Size(); p++ {
		if p != g.Rank() {
			for over := false; !over; {
				_, over = cluster.ExchangeChunk(g, p, nil, false)
			}
			continue
		}
		err = snapshot.Write(func(chunk []byte, last bool) error {
			head := byte(isChunk)
			if last {
				head |= lastOfSection
			}
			cluster.ExchangeChunk(g, p, append([]byte{head}, chunk...), false)
			return nil
		}, walk)
		var end []byte
		if err != nil {
			end = append([]byte{failedToSave}, err.Error()...)
		}
		cluster.ExchangeChunk(g, p, end, true)
	}
	return err
}
