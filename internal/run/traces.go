package run

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"fabricast/internal/checkpoint"
	"fabricast/internal/cluster"
	"fabricast/internal/failure"
	"fabricast/node"
)

// Traced records the calls of a run's programs. It can continue after a checkpoint.
// *replay.Recorder implements it.
type Traced interface {
	Wrap(launch node.Launcher) node.Launcher
	// Keep makes the recorder pass recorded events to flush, in pieces. Goroutines call flush
	// concurrently. FlushKept flushes the remaining events. Again receives the events when the run
	// is resumed.
	Keep(flush func(events []byte), resumes bool)
	FlushKept()
	Again(w *node.World, next func() ([]byte, error)) error
}

// TracePrograms makes t record the programs of the ranks. If there are several jobs, job names the
// job whose programs t records. In contrast to WrapPrograms, the run may write checkpoints.
func TracePrograms(job string, t Traced) Option {
	return func(s *settings) {
		if s.traced == nil {
			s.traced = map[string]Traced{}
		}
		s.traced[job] = t
		s.wrap = func(job string, launch node.Launcher) node.Launcher {
			if t := s.traced[job]; t != nil {
				return t.Wrap(launch)
			}
			return launch
		}
	}
}

// traces stores recorded traces so that the run can be resumed. The first process writes them to a
// file next to the checkpoint; the other processes send it their events with each checkpoint.
type traces struct {
	streams []tracedJob
	group   cluster.Group
	journal *checkpoint.Journal // in the first process
	// events recorded by another process than the first since the last checkpoint: stream, length,
	// events
	mutex sync.Mutex
	spool *os.File
	err   error
}

// tracedJob is a recorder and the ranks that it records.
type tracedJob struct {
	Traced
	stream int // index of the job
	world  *node.World
}

// tracedJobs returns the recorders of a simulation.
func (s *simulation) tracedJobs() (list []tracedJob) {
	for i, one := range s.jobs.list {
		if p, ok := one.(*program); ok && s.traced[p.Name] != nil {
			list = append(list, tracedJob{s.traced[p.Name], i, p.world})
		}
	}
	return list
}

// keepTraces makes recorders store the events that a resumed run needs.
func (s *simulation) keepTraces() error {
	list := s.tracedJobs()
	if len(list) == 0 || s.look != nil {
		return nil
	}
	t := &traces{streams: list, group: s.group}
	var err error
	switch v := s.saver; {
	case v == nil:
	case v.folder == nil:
		t.spool, err = os.CreateTemp("", ".trace-*")
	case s.from != nil:
		path := filepath.Join(v.folder.Path(), checkpoint.RecordedName)
		t.journal, err = checkpoint.ContinueJournal(path, s.from.Recorded)
	default:
		t.journal, err = checkpoint.CreateJournal(v.folder.Beside(checkpoint.RecordedName))
	}
	for _, one := range list {
		one.Keep(func(events []byte) { t.write(one.stream, events) }, s.from != nil)
	}
	if s.saver != nil {
		s.saver.traces = t
	}
	return err
}

// write stores a piece of a stream.
func (t *traces) write(stream int, events []byte) {
	switch {
	case t.journal != nil:
		t.journal.Write(stream, events)
	case t.spool != nil:
		t.mutex.Lock()
		defer t.mutex.Unlock()
		head := binary.LittleEndian.AppendUint32(nil, uint32(stream))
		head = binary.LittleEndian.AppendUint32(head, uint32(len(events)))
		_, err := t.spool.Write(append(head, events...))
		t.err = errors.Join(t.err, err)
	}
}

// gather sends everything recorded so far to the first process. t may be nil.
func (t *traces) gather() error {
	if t == nil {
		return nil
	}
	for _, one := range t.streams {
		one.FlushKept()
	}
	if !cluster.Several(t.group) {
		return nil
	}
	return cluster.Carry(t.group, t.give, t.take)
}

// give writes the events recorded by this process to out.
func (t *traces) give(out io.Writer) error {
	_, err := t.spool.Seek(0, io.SeekStart)
	if err = errors.Join(t.err, err); err == nil {
		_, err = io.Copy(out, t.spool)
	}
	if err == nil {
		err = t.spool.Truncate(0)
	}
	if err == nil {
		_, err = t.spool.Seek(0, io.SeekStart)
	}
	return err
}

// take stores the events recorded by another process.
func (t *traces) take(_ int, in *bufio.Reader) error {
	for {
		var head [8]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		events := make([]byte, binary.LittleEndian.Uint32(head[4:]))
		if _, err := io.ReadFull(in, events); err != nil {
			return err
		}
		t.write(int(binary.LittleEndian.Uint32(head[:])), events)
	}
}

// close closes the file. t may be nil.
func (t *traces) close() {
	if t == nil {
		return
	}
	t.journal.Close()
	if t.spool != nil {
		_ = t.spool.Close()
		_ = os.Remove(t.spool.Name())
	}
}

// traceAgain restores the recorders to their state at the checkpoint.
func (s *simulation) traceAgain() error {
	list := s.tracedJobs()
	if len(list) == 0 {
		return nil
	}
	file, err := s.from.OpenRecorded()
	if err != nil {
		return failure.NewConfigError(err)
	}
	defer file.Close()
	for _, one := range list {
		if err := one.Again(one.world, file.Stream(one.stream)); err != nil {
			return failure.NewConfigError(&os.PathError{Op: "resume", Path: file.Path(), Err: err})
		}
	}
	return nil
}
