package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/internal/version"
	"fabricast/mpi"
	"fabricast/routing/deadlock"
)

// Part selects which parts of an experiment file are read and required.
type Part uint8

const (
	WholeFile   Part = iota
	MachineOnly      // use the machine only, and ignore the program or traffic
	NetworkOnly      // the program or traffic is read, but may be missing
)

// Decode creates the experiment that a file describes, after applying the assignments, and checks
// it. dir is the folder of the file. proofs caches deadlock checks, so that each network is checked
// only once. Decode returns a *failure.ConfigError that lists all problems.
func Decode(
	root *config.Node,
	dir string,
	assignments []string,
	wanted Part,
	proofs *deadlock.Reports,
) (*Experiment, error) {
	if IsSweep(root) && config.Get(root, "network") == nil {
		return nil, failure.NewConfigError(config.Problems{{
			Position: root.Position, Found: "a sweep", Expected: "an experiment",
			Hint: "fabricast sweep FILE or fabricast study FILE runs it, fabricast check FILE checks it",
		}})
	}
	for _, a := range assignments {
		var err error
		if root, err = Assign(root, a); err != nil {
			return nil, failure.NewConfigError(err)
		}
	}
	if len(root.Fields) == 0 {
		return nil, failure.NewConfigError(
			config.Problems{
				{
					Position: root.Position,
					Found:    "nothing",
					Expected: "an experiment",
					Hint:     "docs/formats/experiment.md lists its fields",
				},
			},
		)
	}
	if wanted == MachineOnly {
		if paced := config.Get(root, "workload.pacing"); paced != nil {
			return nil, failure.NewConfigError(config.Problems{{
				Position: paced.Position, Field: "workload.pacing", Found: "pacing of a program by name",
				Expected: "none where another program is run", Hint: pacingOfPrograms,
			}})
		}
		root = config.Without(root, "workload", "traffic", "jobs")
	}
	root, problems := withMachine(root)
	if len(problems) > 0 {
		return nil, failure.NewConfigError(problems)
	}
	e := &Experiment{proofs: proofs}
	positions, problems := config.Decode(root, e, variantsIn(root)...)
	e.positions = positions
	if len(problems) > 0 {
		sayWhereRun(problems)
		return nil, failure.NewConfigError(append(problems, e.wrongBesides(problems, root.Position.Source, dir)...))
	}
	if wanted != WholeFile && !e.HasTraffic() && !e.HasJobs() && reflect.ValueOf(e.Workload).IsZero() {
		e.Program = func(*mpi.Rank) {}
	}
	e.normalize()
	if err := e.locateFiles(root.Position.Source, dir); err != nil {
		return nil, err
	}
	r, err := Resolve(*e)
	if err != nil {
		return nil, err
	}
	return &r.Experiment, nil
}

// wrongBesides returns problems with the values of fields when other fields could not be read. It
// excludes missing fields, because an unknown field may be a misspelling of one of them. It also
// excludes problems that may merely result from a field that could not be read.
// root and dir are those of locateFiles.
func (e *Experiment) wrongBesides(unread config.Problems, root *config.Source, dir string) config.Problems {
	e.normalize()
	if err := e.locateFiles(root, dir); err != nil {
		return nil
	}
	e.fillDefaults()
	problems := e.validateBesides(unread)
	e.positions.Locate(problems)
	return slices.DeleteFunc(problems, func(p config.Problem) bool {
		_, written := e.positions[p.Field]
		return !written || unread.Touch(p.Field)
	})
}

// Assign applies an assignment such as "network.router.vcs=4" to a parsed file and returns the
// changed file.
func Assign(root *config.Node, assignment string) (*config.Node, error) {
	return config.Set(UnfoldCollectives(root, assignment), assignment)
}

// locateFiles makes the paths of files absolute, so that the resolved experiment does not depend on
// the current folder. A path in a command-line assignment is relative to the current folder. A path
// from another file, such as a sweep, is relative to that file's folder. All others are relative to
// dir, the experiment's folder.
func (e *Experiment) locateFiles(root *config.Source, dir string) error {
	for _, file := range e.files() {
		if file.path == "" || filepath.IsAbs(file.path) {
			continue
		}
		from := dir
		switch source := e.positions.Source(file.fields...); {
		case source == nil || source == root:
		case source.Command:
			from = "."
		default:
			from = filepath.Dir(source.Name)
		}
		path, err := filepath.Abs(filepath.Join(from, file.path))
		if err != nil {
			return err
		}
		file.set(path)
	}
	return nil
}

// fileField is a field that names a file.
type fileField struct {
	path string
	set  func(path string)
	// paths that may set it: its own, and that of its short form
	fields []string
	run    bool // a trace or program to run: may be a folder, or very large
}

// fileAt returns the fileField of a struct field that holds a path.
func fileAt(path *string, run bool, fields ...string) fileField {
	return fileField{*path, func(to string) { *path = to }, fields, run}
}

// files lists the fields that name files.
func (e *Experiment) files() []fileField {
	files := []fileField{
		fileAt(&e.Mapping.File, false, "mapping.file", "mapping.order"),
		fileAt(&e.Partition.File, false, "partition.file", "partition.by"),
		fileAt(&e.Imbalance.File, false, "imbalance.file"),
		fileAt(&e.Noise.File, false, "noise.file"),
		fileAt(&e.Faults.File, false, "faults.file"),
		fileAt(&e.Faults.Random.File, false, "faults.random.file"),
		fileAt(&e.Traffic.Pattern.File, false, "traffic.pattern.file"),
		fileAt(&e.Traffic.FlowSizes.File, false, "traffic.flow_sizes.file"),
		fileAt(&e.Workload.File, false, "workload.file"),
		e.Workload.program("workload.command"),
		fileAt(&e.Collectives.File, false, "collectives.file", "collectives.table"),
	}
	for i := range e.Jobs {
		files = append(files, e.Jobs[i].files(i)...)
	}
	return append(files, e.Network.files()...)
}

// program returns the fileField of the program that a command names.
func (w *Workload) program(field string) fileField {
	if w.Command == "" {
		return fileField{}
	}
	set := func(path string) { w.Command = w.Command.withProgram(path) }
	return fileField{w.Command.Words()[0], set, []string{field}, true}
}

// files lists the fields that name files in job i.
func (j *Job) files(i int) []fileField {
	at := func(fields ...string) []string {
		for k := range fields {
			fields[k] = jobPath(i, fields[k])
		}
		return fields
	}
	files := []fileField{
		fileAt(&j.Imbalance.File, false, at("imbalance.file")...),
		fileAt(&j.Traffic.Pattern.File, false, at("traffic.pattern.file")...),
		fileAt(&j.Traffic.FlowSizes.File, false, at("traffic.flow_sizes.file")...),
		fileAt(&j.Workload.File, false, at("workload.file")...),
		fileAt(&j.Collectives.File, false, at("collectives.file", "collectives.table")...),
		fileAt(&j.Placement.File, false, at("placement.file", "placement.order", "placement")...),
		fileAt(&j.Placement.Hosts, false, at("placement.hosts")...),
		fileAt(&j.Trace.File, true, at("trace.file", "trace")...),
	}
	if len(j.Command) > 0 {
		files = append(files, fileAt(&j.Command[0], true, at("command[0]", "command")...))
	}
	return files
}

// Fragment is a part of a parsed file, with its position. A scalar has Text, a list has Items, and
// a mapping has Fields, each with a Key and a Value.
type Fragment = config.Node

// IsSweep reports whether a file describes a sweep of experiments rather than one experiment.
func IsSweep(root *Fragment) bool {
	for _, field := range []string{"axes", "experiment", "base", "findings"} {
		if config.Get(root, field) != nil {
			return true
		}
	}
	return false
}

// Fingerprint returns a hash of a resolved experiment, the files that it names, and the version of
// Fabricast. Experiments with equal fingerprints have equal results. Traces and C programs enter
// only by size and modification time. It returns an error if any other file cannot be read.
func (e *Experiment) Fingerprint() (string, error) {
	text, err := e.YAML()
	h := sha256.New()
	h.Write([]byte(version.Full() + "\n"))
	h.Write(text)
	for _, file := range e.files() {
		if file.path == "" {
			continue
		}
		if file.run {
			h.Write([]byte(state(file.path)))
			continue
		}
		text, readErr := input.Bytes(file.path, input.Copied)
		err = errors.Join(err, readErr)
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), err
}

// Traces returns pointers to the paths of the jobs' traces.
func (e *Experiment) Traces() (paths []*string) {
	for i := range e.Jobs {
		if e.Jobs[i].Trace.File != "" {
			paths = append(paths, &e.Jobs[i].Trace.File)
		}
	}
	return paths
}

// EachFile calls f with the path of every data file that the experiment names. f may change the
// path.
func (e *Experiment) EachFile(f func(path *string) error) error {
	for _, file := range e.files() {
		if file.path == "" || file.run {
			continue
		}
		path := file.path
		err := f(&path)
		if path != file.path {
			file.set(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// EachNamed calls f with the field and the path of every file that the experiment names, including
// programs and traces.
func (e *Experiment) EachNamed(f func(field, path string) error) error {
	for _, file := range e.files() {
		if file.path == "" {
			continue
		}
		if err := f(file.fields[0], file.path); err != nil {
			return err
		}
	}
	return nil
}

// state identifies the version of a program or trace by its size and modification time, since it
// may be large.
func state(path string) string {
	about, err := input.About(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d bytes, %d\n", about.Size(), about.ModTime().UnixNano())
}

// filePrefix marks a file in the short form of mapping and partition, file:PATH.
const filePrefix = "file:"

// normalize rewrites short forms of fields as long ones.
func (e *Experiment) normalize() {
	if e.Workload.Program != "" && e.Workload.Size == 0 && e.positions.Has("workload.size") {
		e.Workload.Empty = true
	}
	e.Collectives.normalize()
	e.normalizeJobs()
	if path, ok := strings.CutPrefix(e.Mapping.Order, filePrefix); ok && e.Mapping.File == "" &&
		strings.TrimSpace(path) != "" {
		e.Mapping = Mapping{File: strings.TrimSpace(path)}
	}
	if path, ok := strings.CutPrefix(e.Partition.By, filePrefix); ok && e.Partition.File == "" &&
		strings.TrimSpace(path) != "" {
		e.Partition = Partition{File: strings.TrimSpace(path)}
	}
}
