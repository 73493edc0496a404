package fabricast

import (
	"path/filepath"
	"reflect"

	"fabricast/internal/config"
	"fabricast/mpi"
)

// Load reads an experiment from a YAML file, lays assignments such as
// "network.link.latency=50ns" over it, fills in the defaults, and checks it.
// Files that it names are looked for beside the experiment file. For a program of
// one's own, use LoadMachine.
//
// Whatever is wrong with the experiment is reported by a *ConfigError.
func Load(path string, assignments ...string) (*Experiment, error) {
	root, err := config.Load(path)
	if err != nil {
		return nil, configError(err)
	}
	return decode(root, filepath.Dir(path), assignments, all)
}

// LoadMachine is Load for a file whose network and nodes are to run another program:
// what the file itself says to run is left out.
func LoadMachine(path string, assignments ...string) (*Experiment, error) {
	root, err := config.Load(path)
	if err != nil {
		return nil, configError(err)
	}
	return decode(root, filepath.Dir(path), assignments, machineOnly)
}

// LoadNetwork is Load for a file of which only the network matters: it need not
// say what runs on it.
func LoadNetwork(path string, assignments ...string) (*Experiment, error) {
	root, err := config.Load(path)
	if err != nil {
		return nil, configError(err)
	}
	return decode(root, filepath.Dir(path), assignments, networkOnly)
}

// Parse is Load for YAML text; name stands for the file in messages, and
// files are looked for in the current folder.
func Parse(name, text string, assignments ...string) (*Experiment, error) {
	root, err := config.Parse(&config.Source{Name: name, Text: text})
	if err != nil {
		return nil, configError(err)
	}
	return decode(root, ".", assignments, all)
}

// part is how much of a file is wanted.
type part uint8

const (
	all         part = iota
	machineOnly      // without what it says to run
	networkOnly      // with that, if it says any
)

func decode(root *config.Node, dir string, assignments []string, wanted part) (*Experiment, error) {
	if IsSweep(root) && config.Get(root, "network") == nil {
		return nil, configError(config.Problems{{
			Position: root.Position, Found: "a sweep", Expected: "an experiment",
			Hint: "fabricast sweep FILE or fabricast study FILE runs it, fabricast check FILE checks it",
		}})
	}
	for _, a := range assignments {
		var err error
		if root, err = assign(root, a); err != nil {
			return nil, configError(err)
		}
	}
	if len(root.Fields) == 0 {
		return nil, configError(config.Problems{{Position: root.Position, Found: "nothing", Expected: "an experiment", Hint: "docs/formats/experiment.md lists its fields"}})
	}
	if wanted == machineOnly {
		if paced := config.Get(root, "workload.pacing"); paced != nil {
			return nil, configError(config.Problems{{
				Position: paced.Position, Field: "workload.pacing", Found: "pacing of a program by name",
				Expected: "none where another program is run", Hint: pacingOfPrograms,
			}})
		}
		root = config.Without(root, "workload", "traffic")
	}
	e := &Experiment{}
	positions, problems := config.Decode(root, e)
	if len(problems) > 0 {
		return nil, configError(problems)
	}
	e.positions = positions
	if wanted != all && !e.HasTraffic() && reflect.ValueOf(e.Workload).IsZero() {
		e.Program = func(*mpi.Rank) {}
	}
	e.normalize()
	if err := e.locateFiles(dir); err != nil {
		return nil, err
	}
	if err := e.Resolve(); err != nil {
		return nil, err
	}
	return e, nil
}

// assign lays an assignment over what is written.
func assign(root *config.Node, assignment string) (*config.Node, error) {
	return config.Set(unfoldCollectives(root, assignment), assignment)
}

// locateFiles makes the paths of files absolute, so that the resolved experiment
// means the same files wherever it is kept.
func (e *Experiment) locateFiles(dir string) error {
	for _, file := range e.files() {
		if *file == "" || filepath.IsAbs(*file) {
			continue
		}
		path, err := filepath.Abs(filepath.Join(dir, *file))
		if err != nil {
			return err
		}
		*file = path
	}
	return nil
}

// files lists the fields that name files.
func (e *Experiment) files() []*string {
	files := []*string{&e.Mapping.File, &e.Imbalance.File, &e.Traffic.Pattern.File, &e.Network.Routing.File, &e.Workload.File, &e.Collectives.File}
	for _, t := range e.Network.Topology.all() {
		files = append(files, &t.File)
	}
	return files
}

// all lists a topology and those it is made of.
func (t *Topology) all() []*Topology {
	list := []*Topology{t}
	for _, part := range []*Topology{t.Block, t.Outer} {
		if part != nil {
			list = append(list, part.all()...)
		}
	}
	return list
}

// Resolve fills in the defaults and checks the experiment. Run does so itself;
// Resolve shows the outcome before. Its error is a *ConfigError.
func (e *Experiment) Resolve() error {
	e.normalize()
	e.fillDefaults()
	problems := e.validate()
	e.positions.Locate(problems)
	if len(problems) == 0 {
		e.dropNothing()
	}
	return configError(problems)
}
