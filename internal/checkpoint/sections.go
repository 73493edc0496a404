package checkpoint

import (
	"errors"

	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// Sections of a checkpoint are sent from the other processes to the first, one process after the
// other. Each message holds a chunk, preceded by a byte with these flags.
const (
	isChunk      = 1 << iota // a chunk follows
	lastChunk                // the chunk ends a section
	failedToSave             // the text of an error follows
)

// Sections receives the sections of the other processes in the first process.
type Sections struct {
	group cluster.Collective
	next  int // process whose sections are received next
}

// NewSections returns the sections of the other processes of a group. g is nil if there is one
// process.
func NewSections(g cluster.Collective) *Sections { return &Sections{g, 1} }

// Take passes all chunks that have not been received yet to put, and errors of processes that could
// not save them to fail.
func (s *Sections) Take(put func(chunk []byte, last bool), fail func(error)) {
	for ; cluster.Several(s.group) && s.next < s.group.Size(); s.next++ {
		for over := false; !over; {
			var data []byte
			data, over = cluster.ExchangeChunk(s.group, s.next, nil, false)
			switch {
			case len(data) == 0:
			case data[0]&failedToSave != 0:
				fail(errors.New(string(data[1:])))
			case data[0]&isChunk != 0:
				put(data[1:], data[0]&lastChunk != 0)
			}
		}
	}
}

// SendSections sends the sections that walk visits to the first process. It returns when all
// processes have sent theirs.
func SendSections(g cluster.Collective, walk func(*snapshot.Visitor)) error {
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
				head |= lastChunk
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
