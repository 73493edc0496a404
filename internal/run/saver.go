package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"fabricast/experiment"
	"fabricast/internal/checkpoint"
	"fabricast/internal/cluster"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/internal/panics"
	"fabricast/internal/plan"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/internal/version"
	"fabricast/node"
	"fabricast/record"
)

// Checkpoints selects when a run writes a checkpoint to its result folder. Each checkpoint replaces
// the previous one. An interrupted run writes a last checkpoint before it ends.
type Checkpoints struct {
	Every     time.Duration // wall-clock interval; 0: none
	EveryTime units.Time    // interval in simulated time; 0: none
	// Told is called after each checkpoint except the last, whether or not it could be written;
	// nil: no calls.
	Told func(CheckpointReport)
	// Keep is the number of earlier checkpoints to keep, also after the run, so that a Look can
	// start from them: 0, or at least 2.
	Keep int
	// Flags, as JSON, is stored for the command that resumes the run. Trace is the path of the
	// replayed trace; "" if there is none, or only traces of jobs.
	Flags []byte
	Trace string
	// Blocks is the minimum number of partition blocks; 0: one per worker. It limits the total
	// number of workers, in all processes, that can resume the run.
	Blocks int
}

// CheckpointReport describes a checkpoint.
type CheckpointReport struct {
	Path string
	Time units.Time    // time taken to write it
	Size int64         // bytes
	Took time.Duration // to write it
	Err  error         // reason why it could not be written; nil if it was
}

// Checkpoint makes a run with a result folder write checkpoints.
func Checkpoint(c Checkpoints) Option { return func(s *settings) { s.checkpoints = &c } }

// Resume makes a run start from a checkpoint of the same experiment.
func Resume(f *checkpoint.File) Option {
	return func(s *settings) { s.from, s.blocks = f, f.Blocks }
}

// checkCheckpoints returns an error if a run that should write checkpoints, or be resumed from one,
// cannot do so.
func (s *settings) checkCheckpoints(p *plan.Plan) error {
	if !s.saves() {
		return nil
	}
	if reason := s.unsaveable(p); reason != "" {
		return failure.NewConfigError(fmt.Errorf(
			"found a run that cannot be saved, expected one without checkpoints: %s", reason,
		))
	}
	if s.from == nil {
		if n, routers := s.checkpoints.Blocks, p.Fabric.Graph.Routers; n > routers {
			return failure.NewConfigError(fmt.Errorf(
				"found %d blocks (--blocks), expected at most %d, the routers of the network", n, routers,
			))
		}
		return nil
	}
	f := s.from
	if of := sizeOf(s.group); of > f.Blocks {
		return failure.NewConfigError(fmt.Errorf(
			"found %d processes, expected at most %d: the run is divided into as many blocks (--blocks)",
			of, f.Blocks,
		))
	}
	h, err := headerOf(p.Experiment, f.Trace.Name, f.Flags)
	if err != nil {
		return err
	}
	if f.Fingerprint != h.Fingerprint {
		return failure.NewConfigError(&checkpoint.Error{
			Path:  f.Path(),
			Found: "the state of another experiment, or of Fabricast " + f.Program,
			Expected: "that of this experiment, its files and traces unchanged, and of Fabricast " +
				version.Full(),
		})
	}
	if doors := p.Fabric.Doors != nil; f.Doors != doors {
		says := map[bool]string{true: "a network with doors (Network.Doors)", false: "a network without doors"}
		return failure.NewConfigError(&checkpoint.Error{
			Path: f.Path(), Found: "the state of " + says[f.Doors], Expected: "that of " + says[doors],
		})
	}
	return nil
}

// saves reports whether the run writes checkpoints, or is resumed from one or from a fork.
func (s *settings) saves() bool {
	return s.checkpoints != nil || s.from != nil || s.fork != nil
}

// unsaveable returns the reason why a run cannot write checkpoints; "" if it can.
func (s *settings) unsaveable(p *plan.Plan) string {
	e := p.Experiment
	return first([]reason{
		{!s.recorded(), "checkpoints are left in a result folder (--out)"},
		{e.Network.Abstract(), "networks without packets are not saved; their runs are short"},
		{
			e.Compute.Mode == experiment.ComputeMeasured || e.Compute.Mode == experiment.ComputeSampled,
			"programs whose computation is measured by the clock of the machine do not do the same again",
		},
		{
			s.wrap != nil && s.traced == nil,
			"what replaces the programs of ranks is not saved (WrapPrograms)",
		},
		{s.hottest > 0, "the counts behind the hottest links are not saved (--watch)"},
	})
}

// saver writes checkpoints of a simulation.
type saver struct {
	Checkpoints
	folder *record.Folder // nil in processes other than the first
	group  cluster.Group  // processes that share the run; nil if there is one
	place  string         // path of the checkpoint
	header checkpoint.Header
	begun  time.Time
	before float64 // duration (s) of the run before it was resumed

	last  time.Duration // wall-clock time, since the start, of the last checkpoint
	next  units.Time    // simulated time at which the next checkpoint is due
	wants atomic.Bool   // a checkpoint is requested
	count uint64        // number of checkpoints so far
	ends  atomic.Bool   // the next checkpoint is the last one, and ends the run
	path  string        // path of the last checkpoint; "" if there is none
	// journal of programs with stacks, in the first process, and a function that sends buffered
	// records to it; nil if there is none
	journal *checkpoint.Journal
	flush   func()
	traces  *traces // recorded traces; nil if nothing is recorded
}

// newSaver returns the saver of a run; nil if the run writes no checkpoints.
func newSaver(s settings, p *plan.Plan) (*saver, error) {
	if s.checkpoints == nil {
		return nil, nil
	}
	v := &saver{
		Checkpoints: *s.checkpoints, folder: s.folder, group: s.group,
		place: filepath.Join(s.out, checkpoint.Name),
		begun: time.Now(), next: s.checkpoints.EveryTime,
	}
	if f := s.from; f != nil {
		v.before, v.count = f.Wall, f.Number+1
		if v.EveryTime > 0 {
			v.next = (f.Time/v.EveryTime + 1) * v.EveryTime
		}
	}
	if v.folder == nil { // only the first process writes the header
		return v, nil
	}
	var err error
	v.header, err = headerOf(p.Experiment, s.checkpoints.Trace, s.checkpoints.Flags)
	v.header.Every, v.header.EveryTime, v.header.Keep = v.Every, v.EveryTime, v.Keep
	v.header.Launched = p.Experiment.Launch != nil || p.Experiment.Program != nil
	v.header.Doors = p.Fabric.Doors != nil
	v.header.Processes = sizeOf(s.group)
	return v, errors.Join(err, checkpoint.DropKept(s.folder.Path(), v.count))
}

// headerOf returns the header of a checkpoint of an experiment. It replaces file names by numbers,
// so that the run can be resumed with the files elsewhere. trace is the path of a trace that the
// experiment does not name; "" if there is none.
func headerOf(e *experiment.Resolved, trace string, flags []byte) (checkpoint.Header, error) {
	h := checkpoint.Header{Program: version.Full(), Flags: flags}
	var traceErr error
	if trace != "" {
		h.Trace, traceErr = traceAt(trace)
	}
	for _, path := range e.Traces() {
		about, err := traceAt(*path)
		traceErr = errors.Join(traceErr, err)
		h.Traces = append(h.Traces, about)
		*path = about.Name
	}
	err := e.EachFile(func(path *string) error {
		text, err := input.Text(*path, input.Copied)
		h.Files = append(h.Files, checkpoint.Copy{Name: *path, Text: text})
		*path = strconv.Itoa(len(h.Files)-1) + filepath.Ext(*path) // the extension may indicate the format
		return err
	})
	text, yamlErr := e.YAML()
	i := 0
	back := e.EachFile(func(path *string) error {
		*path = h.Files[i].Name
		i++
		return nil
	})
	h.Experiment = string(text)
	h.Fingerprint = h.Print()
	return h, errors.Join(traceErr, err, yamlErr, back)
}

// traceAt returns the absolute path and the size of a trace.
func traceAt(path string) (t checkpoint.Trace, err error) {
	if t.Name, err = filepath.Abs(path); err != nil {
		return t, err
	}
	err = filepath.WalkDir(t.Name, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		about, err := e.Info()
		if err == nil {
			t.Bytes += about.Size()
		}
		return err
	})
	return t, err
}

// due reports whether a checkpoint is due, given the wall-clock time since the start of the run and
// the simulated time. The first process decides for all processes. v may be nil.
func (v *saver) due(since time.Duration, now units.Time) bool {
	if v == nil || v.folder == nil || v.wants.Load() {
		return false
	}
	if v.EveryTime > 0 && now >= v.next {
		v.next = (now/v.EveryTime + 1) * v.EveryTime
		return true
	}
	if v.Every > 0 && since-v.last >= v.Every {
		v.last = since
		return true
	}
	return false
}

// ask stops the engine so that a checkpoint can be written.
func (v *saver) ask(stop *atomic.Bool) {
	v.wants.Store(true)
	stop.Store(true)
}

// left returns the path of the checkpoint that ended the run; "" if there is none. v may be nil.
func (v *saver) left() string {
	if v == nil {
		return ""
	}
	return v.path
}

// interrupt stops the run. It requests a last checkpoint if the run writes checkpoints.
func (s *simulation) interrupt() {
	if s.saver == nil {
		s.halt()
		return
	}
	s.saver.ends.Store(true)
	s.saver.ask(&s.stop)
}

// goOn clears the stop flag after a checkpoint, so that the engine continues. If the run has been
// stopped in the meantime (halted, or a last checkpoint was requested), it sets the flag again.
func (v *saver) goOn(stop, halted *atomic.Bool) {
	v.wants.Store(false)
	stop.Store(false)
	if halted.Load() || v.ends.Load() {
		stop.Store(true)
	}
}

// save writes a checkpoint. It returns an error only if the checkpoint is the last one.
func (v *saver) save(s *simulation, last bool) error {
	begin, h := time.Now(), &v.header
	_, h.Blocks = s.network.numbers()
	h.Cut, h.Rounds, h.Time = s.network.sections().Cut(), s.steps.Windows(), s.now()
	h.Ahead = s.ahead()
	h.Finished, h.Ranks = s.jobs.finished(), s.jobs.ranks
	h.Wall = v.before + time.Since(v.begun).Seconds()
	s.network.control().Exchange()
	if v.flush != nil {
		v.flush()
	}
	traced := v.traces.gather()
	size, err := v.write(s, traced)
	if v.Told != nil && v.folder != nil {
		v.Told(CheckpointReport{Path: v.place, Time: h.Time, Size: size, Took: time.Since(begin), Err: err})
	}
	if !last {
		return nil
	}
	if err != nil {
		return &failure.RecordError{Folder: filepath.Dir(v.place), Err: err}
	}
	v.path = v.place
	return nil
}

// ahead returns the latest time of anything that has already been simulated or reported: the end of
// the last window, or the latest time of a reported event if that is later.
func (s *simulation) ahead() units.Time {
	latest := s.jobs.latest()
	for _, b := range s.network.parts {
		latest = max(latest, units.Time(b.Now()))
	}
	return units.Time(-cluster.Min(s.group, -int64(latest)))
}

// write writes the checkpoint: the first process writes the file, and the other processes send it
// their state. A non-nil err means that the state cannot be saved.
func (v *saver) write(s *simulation, err error) (size int64, _ error) {
	network := s.network.sections()
	if v.folder == nil {
		own := func(w *snapshot.Visitor) { network.Save(w, s.jobs.statePacers) }
		return 0, v.agree(errors.Join(err, checkpoint.SendSections(v.group, own)))
	}
	others := checkpoint.NewSections(v.group)
	path, folderErr := v.folder.Checkpoint()
	v.header.Number = v.count
	if err = errors.Join(err, folderErr); err == nil {
		err = v.markJournal(path)
	}
	if err == nil {
		size, err = checkpoint.Write(path, &v.header, func(w *snapshot.Visitor) {
			snapshot.Section(w, s.jobs.state)
			snapshot.Section(w, s.recorder.State)
			network.Save(w, s.jobs.statePacers)
			others.Take(func(chunk []byte, last bool) { snapshot.Insert(w, chunk, last) }, w.Fail)
			snapshot.Section(w, s.course.state)
		})
	}
	others.Take(func([]byte, bool) {}, func(error) {}) // receive even if writing failed
	if err == nil {
		v.count++
		if v.Keep > 0 {
			err = checkpoint.Keep(path, &v.header, v.Keep)
		}
	}
	return size, v.agree(err)
}

// read restores the state of the simulation from its checkpoint. If goesOn is true, the recording
// continues too. Otherwise the run is a look, which records other data or none.
func (s *simulation) read(goesOn bool) error {
	f, network := s.from, s.network.sections()
	if f.Cut != network.Cut() {
		return failure.NewConfigError(&checkpoint.Error{
			Path:     f.Path(),
			Found:    "the state of a network that was cut into other blocks (partition)",
			Expected: "the same library on this machine that has cut it",
		})
	}
	err := f.Restore(func(v *snapshot.Visitor) {
		snapshot.Section(v, s.jobs.state)
		if goesOn { // only now, so that the re-execution of programs is not recorded
			s.attach()
		}
		if goesOn && s.recorder.Writes() {
			snapshot.Section(v, s.recorder.State)
		} else {
			snapshot.Skip(v)
		}
		network.Restore(v, f.Processes, goesOn && s.recorder != nil, s.jobs.statePacers)
		snapshot.Section(v, s.course.state)
	})
	var refused *checkpoint.Error
	if errors.As(err, &refused) {
		return failure.NewConfigError(err)
	}
	return err
}

// replays reports whether a trace is replayed. Replayed traces need no journal, not even traces of
// tasks, which have stacks.
func (s *simulation) replays() bool {
	e := s.plan.Experiment
	return e.Launch != nil && e.Apart || slices.ContainsFunc(e.Jobs, func(j experiment.Job) bool {
		return j.Replays()
	})
}

// begin calls resume, which may take long if it executes programs again. It returns as soon as ctx
// ends. On error it closes the simulation, possibly in the background.
func (s *simulation) begin(ctx context.Context) error {
	if s.from == nil {
		return s.resume()
	}
	stop := context.AfterFunc(ctx, panics.Guarded("end of programs that run again", s.jobs.cancel))
	resumed := func() (struct{}, error) {
		err := s.resume()
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil {
			s.close()
		}
		return struct{}{}, err
	}
	ranks := s.jobs.ranks
	var err error
	if cluster.Several(s.group) { // the processes execute the programs again together
		_, err = resumed()
	} else {
		_, err = setUp(ctx, ranks, resumed, func(struct{}) { s.close() })
	}
	switch goesOn := s.all(stop() && ctx.Err() == nil); {
	case goesOn:
		return err
	case err == nil:
		s.close()
	}
	if s.look != nil {
		return &failure.InterruptedError{Ranks: ranks, Err: interruption(ctx), SettingUp: true}
	}
	return &failure.InterruptedError{
		Time: s.from.Time, Finished: s.from.Finished, Ranks: ranks, Err: interruption(ctx),
		Checkpoint: s.from.Path(),
	}
}

// resume restores the state of the simulation if the run is resumed from a checkpoint or a fork. It then
// attaches the recorder, which runs from forks do not have.
func (s *simulation) resume() error {
	if s.fork != nil {
		return s.resumeFork()
	}
	goesOn := s.from != nil && s.look == nil
	if s.saver != nil || s.from != nil {
		if err := s.restore(goesOn); err != nil {
			return err
		}
	}
	if !goesOn {
		s.attach()
	}
	return nil
}

// restore restores the state of the simulation if the run is resumed from a checkpoint. If goesOn
// is true, it also restores the state of the recording.
func (s *simulation) restore(goesOn bool) error {
	err := s.jobs.saveable()
	if errors.Is(err, node.ErrStacks) && !s.replays() {
		end, journalErr := s.keepJournal()
		defer end()
		err = s.settle(journalErr) // all processes execute the programs again together
	} else if err != nil {
		err = failure.NewConfigError(fmt.Errorf(
			"found a program that cannot be saved, expected one without checkpoints: %w", err,
		))
	}
	if tracesErr := s.settle(s.keepTraces()); err == nil {
		err = tracesErr
	}
	if err != nil || s.from == nil {
		return err
	}
	s.before = s.from.Rounds
	err = refuseJournal(s.from, s.read(goesOn))
	if err == nil && goesOn {
		err = s.traceAgain()
	}
	return err
}
