package fabricast

import (
	"slices"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/routing/deadlock"
)

// Load reads an experiment from a YAML file, applies assignments such as
// "network.link.latency=50ns" to it, fills in the defaults, and checks it. Relative paths in the
// file are resolved against the file's folder, those in an assignment against the current folder.
// To run a program of your own on the file's network, use LoadMachine. The path may also be that of a
// network file, such as the output of ibnetdiscover, to which assignments add a program.
//
// Load returns a *ConfigError that lists every mistake in the experiment.
func Load(path string, assignments ...string) (*Experiment, error) {
	return load(path, assignments, experiment.WholeFile)
}

// LoadMachine is like Load, for running another program on the file's network and nodes. It ignores
// the file's own program or traffic.
func LoadMachine(path string, assignments ...string) (*Experiment, error) {
	return load(path, assignments, experiment.MachineOnly)
}

// LoadNetwork is like Load for a file of which only the network is needed. The file need not
// contain a program or traffic.
func LoadNetwork(path string, assignments ...string) (*Experiment, error) {
	return load(path, assignments, experiment.NetworkOnly)
}

// Parse is like Load for YAML text. Messages refer to the text by the given name, and relative
// paths in it are resolved against the current folder.
func Parse(name, text string, assignments ...string) (*Experiment, error) {
	return parse(name, text, experiment.WholeFile, assignments...)
}

// parse is like Parse but requires only the given part of the file to be complete.
func parse(name, text string, part experiment.Part, assignments ...string) (*Experiment, error) {
	root, err := config.Parse(&config.Source{Name: name, Text: text})
	if err != nil {
		return nil, NewConfigError(err)
	}
	return decode(root, ".", assignments, part)
}

func load(path string, assignments []string, wanted experiment.Part) (*Experiment, error) {
	root, dir, err := experiment.Open(path)
	if err != nil {
		return nil, err
	}
	return decode(root, dir, assignments, wanted)
}

func decode(root *Fragment, dir string, assignments []string, wanted experiment.Part) (*Experiment, error) {
	e, err := experiment.Decode(root, dir, assignments, wanted, new(deadlock.Reports))
	return (*Experiment)(e), err
}

// Fragment is a part of a YAML file as it was written, with its position. A scalar has Text, a list
// has Items, and a mapping has Fields, each with a Key and a Value.
type Fragment = config.Node

// Document is an experiment as written in a file, without defaults. It is immutable: methods that
// replace fields return changed copies.
type Document struct {
	root *Fragment
	dir  string // folder that relative paths in the document are resolved against

	proofs *deadlock.Reports // deadlock checks, shared by its experiments and derived documents
}

// OpenDocument reads an experiment file, or makes an experiment around a network file. It returns a
// *ConfigError if the file cannot be read or is not valid YAML.
func OpenDocument(path string) (*Document, error) {
	root, dir, err := experiment.Open(path)
	if err != nil {
		return nil, err
	}
	return NewDocument(root, dir), nil
}

// NewDocument returns the document of an experiment that is embedded in another file. Relative
// paths are resolved against dir.
func NewDocument(root *Fragment, dir string) *Document {
	return &Document{root, dir, new(deadlock.Reports)}
}

// IsSweep reports whether a file describes a sweep (many experiments) rather than one experiment.
func IsSweep(root *Fragment) bool { return experiment.IsSweep(root) }

// Set returns a copy of the document with an assignment such as "network.link.latency=50ns"
// applied. It returns a *ConfigError if the assignment is malformed.
func (d *Document) Set(assignment string) (*Document, error) {
	root, err := experiment.Assign(d.root, assignment)
	if err != nil {
		return nil, NewConfigError(err)
	}
	return &Document{root, d.dir, d.proofs}, nil
}

// With returns a copy of the document with the field at a dotted path, such as "network.link",
// replaced by a fragment.
func (d *Document) With(path string, value *Fragment) *Document {
	return &Document{config.Put(experiment.UnfoldCollectives(d.root, path), path, value), d.dir, d.proofs}
}

// WithJobs returns a copy of the document with the given jobs appended to its own. The copy has no
// program or traffic outside jobs.
func (d *Document) WithJobs(jobs ...*Fragment) *Document {
	list := &Fragment{Kind: config.List, Items: jobs}
	if len(jobs) > 0 {
		list.Position = jobs[0].Position
	}
	if there := config.Get(d.root, "jobs"); there != nil {
		list.Position, list.Items = there.Position, append(slices.Clone(there.Items), jobs...)
	}
	root := config.Without(d.root, "workload", "traffic", "ranks", "mapping", "jobs")
	return &Document{config.Put(root, "jobs", list), d.dir, d.proofs}
}

// Field returns the fragment at a dotted path, or nil if the document has none there.
func (d *Document) Field(path string) *Fragment { return config.Get(d.root, path) }

// Experiment decodes the document, fills in the defaults and checks the result. It returns a
// *ConfigError that lists the mistakes.
func (d *Document) Experiment() (*Experiment, error) {
	e, err := experiment.Decode(d.root, d.dir, nil, experiment.WholeFile, d.proofs)
	return (*Experiment)(e), err
}
