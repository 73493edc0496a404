package experiment

import (
	"path/filepath"

	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/netfile"
)

// Open reads an experiment from a YAML file, or makes one around a network file such as the output of
// ibnetdiscover. Relative paths in the experiment are resolved against dir. The error is a *ConfigError.
func Open(path string) (root *Fragment, dir string, err error) {
	if root := aroundNetwork(path); root != nil {
		return root, ".", nil
	}
	root, err = config.Load(path)
	return root, filepath.Dir(path), failure.NewConfigError(err)
}

// aroundNetwork returns an experiment whose topology is a network file, with defaults for all else; nil
// if the file is none. Only a file that looks like a network is: a list of links without the ending
// .edges could be an experiment with a mistake.
func aroundNetwork(path string) *Fragment {
	if path == "-" || netfile.Recognized(path) == nil {
		return nil
	}
	source := &config.Source{Name: path, Command: true} // paths are relative to the current folder
	text := func(s string) *Fragment {
		return &Fragment{Kind: config.Scalar, Text: s, Position: config.Position{Source: source}}
	}
	root := config.Put(&Fragment{Kind: config.Mapping, Position: text("").Position}, "network.topology.kind", text(KindFile))
	return config.Put(root, "network.topology.file", text(path))
}
