package run

import (
	"errors"
	"os"
	"path/filepath"

	"fabricast/internal/checkpoint"
	"fabricast/internal/failure"
	"fabricast/node"
)

// If programs of a run have stacks of their own, the run writes a journal (see package node) to a
// file next to its checkpoint.

// journalSource returns a function that reads the records of a stream in pieces. It is nil in a new
// run.
type journalSource func(stream int) (more func() ([]byte, error))

// keepJournal makes the simulation write a journal. If the run is resumed from a checkpoint, the
// programs are first executed again with input from the checkpoint's journal. end closes that
// input.
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
	first, _ := s.network.numbers()
	s.jobs.journal(first, flush, from)
	return end, nil
}

// beginJournal opens the journal of the run: the one next to the checkpoint from which the run is
// resumed, or a new one. A new journal is moved to its final path with the first checkpoint.
func (v *saver) beginJournal(from *checkpoint.File) (err error) {
	if from != nil {
		path := filepath.Join(v.folder.Path(), checkpoint.JournalName)
		v.journal, err = checkpoint.ContinueJournal(path, from.Journal)
		return err
	}
	v.journal, err = checkpoint.CreateJournal(v.folder.Beside(checkpoint.JournalName))
	return err
}

// close closes the journal and the recorded traces. v may be nil.
func (v *saver) close() {
	if v != nil {
		v.journal.Close()
		v.traces.close()
	}
}

// markJournal stores the current lengths of the journals in the header of the checkpoint at path.
func (v *saver) markJournal(path string) (err error) {
	if v.journal != nil {
		v.header.Journal, err = v.journal.Mark(filepath.Dir(path))
	}
	if err == nil && v.traces != nil {
		v.header.Recorded, err = v.traces.journal.Mark(filepath.Dir(path))
	}
	return err
}

// refuseJournal converts an error of re-executed programs to a configuration error.
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
