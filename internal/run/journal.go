package run

import (
	"errors"
	"os"
	"path/filepath"

	"fabricast/internal/checkpoint"
	"fabricast/internal/failure"
	"fabricast/node"
)

// A run whose programs have stacks of their own writes a journal (see package node) to a file next
// to its checkpoint.

// journalSource returns the records of a stream, piece by piece. It is nil in a new run.
type journalSource func(stream int) (more func() ([]byte, error))

// keepJournal makes the simulation write a journal. If the run is resumed from a checkpoint, it
// first prepares the programs to be fed from the checkpoint's journal; end ends the feeding.
func (s *simulation) keepJournal() (end func(), err error) {
	end = func() {}
	var from journalSource
	if s.from != nil {
		file, err := s.from.OpenJournal()
		if err != nil {
			return end, err
		}
		from, end = file.Stream, file.Close
	}
	flush := func(int, []byte) {}
	if s.saver != nil {
		s.saver.flush = s.jobs.flushJournal
		if s.saver.folder != nil {
			if err := s.saver.beginJournal(s.from); err != nil {
				end()
				return func() {}, err
			}
			flush = s.saver.journal.Write
		}
	}
	first, _ := s.network.packets.Numbers()
	s.jobs.journal(first, flush, from)
	return end, nil
}

// beginJournal opens the journal of the run: the one next to the checkpoint from which the run is
// resumed, or a new one. A new one is moved to its final place with the first checkpoint.
func (v *saver) beginJournal(from *checkpoint.File) (err error) {
	if from != nil {
		path := filepath.Join(v.folder.Path(), checkpoint.JournalName)
		v.journal, err = checkpoint.ContinueJournal(path, from.Journal)
		return err
	}
	v.journal, err = checkpoint.CreateJournal(v.folder.Beside(checkpoint.JournalName))
	return err
}

// close closes the journal. v may be nil.
func (v *saver) close() {
	if v != nil {
		v.journal.Close()
		v.traces.close()
	}
}

// markJournal stores the present lengths of the journals in the header of a checkpoint at path.
func (v *saver) markJournal(path string) (err error) {
	if v.journal != nil {
		v.header.Journal, err = v.journal.Mark(filepath.Dir(path))
	}
	if err == nil && v.traces != nil {
		v.header.Recorded, err = v.traces.journal.Mark(filepath.Dir(path))
	}
	return err
}

// refuseJournal turns an error of re-executed programs into one that says what is wrong.
func refuseJournal(f *checkpoint.File, err error) error {
	var diverged *node.DivergedError
	var damaged *node.JournalError
	path := filepath.Join(filepath.Dir(f.Path()), checkpoint.JournalName)
	switch {
	case errors.As(err, &diverged), errors.Is(err, node.ErrShared):
		return failure.NewConfigError(&os.PathError{Op: "resume", Path: f.Path(), Err: err})
	case errors.As(err, &damaged):
		return failure.NewConfigError(&checkpoint.Error{
			Path: path, Found: damaged.Found, Expected: damaged.Expected,
		})
	}
	return err
}
