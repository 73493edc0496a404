package fabricast

import (
	"path/filepath"

	"fabricast/internal/config"
)

// Load reads an experiment from a YAML file, lays assignments such as
// "network.link.latency=50ns" over it, fills in the defaults, and checks it.
// A mapping file is looked for beside the experiment file.
//
// Whatever is wrong with the experiment is reported by a *ConfigError.
func Load(path string, assignments ...string) (*Experiment, error) {
	root, err := config.Load(path)
	if err != nil {
		return nil, configError(err)
	}
	return decode(root, filepath.Dir(path), assignments)
}

// Parse is Load for YAML text; name stands for the file in messages, and
// mapping files are looked for in the current folder.
func Parse(name, text string, assignments ...string) (*Experiment, error) {
	root, err := config.Parse(&config.Source{Name: name, Text: text})
	if err != nil {
		return nil, configError(err)
	}
	return decode(root, ".", assignments)
}

func decode(root *config.Node, dir string, assignments []string) (*Experiment, error) {
	for _, a := range assignments {
		var err error
		if root, err = config.Set(root, a); err != nil {
			return nil, configError(err)
		}
	}
	e := &Experiment{}
	positions, problems := config.Decode(root, e)
	if len(problems) > 0 {
		return nil, configError(problems)
	}
	e.positions = positions
	e.normalize()
	if err := e.locateMapping(dir); err != nil {
		return nil, err
	}
	if err := e.Resolve(); err != nil {
		return nil, err
	}
	return e, nil
}

// locateMapping makes the path of a mapping file absolute, so that the resolved
// experiment means the same file wherever it is kept.
func (e *Experiment) locateMapping(dir string) error {
	if e.Mapping.File == "" || filepath.IsAbs(e.Mapping.File) {
		return nil
	}
	path, err := filepath.Abs(filepath.Join(dir, e.Mapping.File))
	e.Mapping.File = path
	return err
}

// Resolve fills in the defaults and checks the experiment. Run does so itself;
// Resolve shows the outcome before. Its error is a *ConfigError.
func (e *Experiment) Resolve() error {
	e.normalize()
	e.fillDefaults()
	problems := e.validate()
	e.positions.Locate(problems)
	return configError(problems)
}
