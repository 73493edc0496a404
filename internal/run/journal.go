package run

import (
	"errors"
	"os"
	"path/filepath"

	"fabricast/internal/checkpoint"
	"fabricast/internal/failure"
	"fabricast/internal/snapshot"
	"fabricast/node"
)

// A run whose programs have stacks keeps a journal (package node), in a file beside its checkpoint.

// journalSource returns the records of a stream, piece by piece. nil if a run begins.
type journalSource func(stream int) (more func() ([]byte, error))

// streamsOfJob is how many streams a job has: one for each block.
const streamsOfJob = 1 << 20

// keepJournal makes the simulation keep a journal, and prepares it to be fed with the one of the
// checkpoint that it goes on from, if there is one. The function that it returns ends the feeding.
func (s *simulation) keepJournal(o settings) (end func(), err error) {
	end = func() {}
	var from journalSource
	if o.from != nil {
		file, err := o.from.OpenJournal()
		if err != nil {
			return end, err
		}
		from, end = file.Stream, file.Close
	}
	flush := func(int, []byte) {}
	if s.saver != nil {
		s.saver.flush = s.world.FlushJournal
		if s.saver.folder != nil {
			if err := s.saver.beginJournal(o.from); err != nil {
				end()
				return func() {}, err
			}
			flush = s.saver.journal.Write
		}
	}
	first, _ := s.network.packets.Numbers()
	s.world.Journal(first, flush, from)
	return end, nil
}

// beginJournal opens the journal of the run: the one beside the checkpoint that it goes on from, or a
// new one. A new one is moved to its place with the first checkpoint.
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

// markJournal notes in the header of a checkpoint at a path how far the journals have got.
func (v *saver) markJournal(path string) (err error) {
	if v.journal != nil {
		v.header.Journal, err = v.journal.Mark(filepath.Dir(path))
	}
	if err == nil && v.traces != nil {
		v.header.Recorded, err = v.traces.journal.Mark(filepath.Dir(path))
	}
	return err
}

// refuseJournal turns an error of programs that were run again into one that tells what is wrong.
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

// Journal implements population: the streams of a job follow those of the one before.
func (j *jobs) Journal(first int, flush func(int, []byte), read func(int) func() ([]byte, error)) {
	for i, one := range j.list {
		if one.world == nil || !errors.Is(one.world.Saveable(), node.ErrStacks) {
			continue
		}
		streams := i * streamsOfJob
		var own func(int) func() ([]byte, error)
		if read != nil {
			own = func(block int) func() ([]byte, error) { return read(streams + block) }
		}
		one.world.Journal(first, func(block int, records []byte) { flush(streams+block, records) }, own)
	}
}

// FlushJournal implements population.
func (j *jobs) FlushJournal() { j.each((*node.World).FlushJournal) }

// State implements population.
func (j *jobs) State(v *snapshot.Visitor) { j.each(func(w *node.World) { w.State(v) }) }
