package fabricast

import (
	"github.com/goccy/go-yaml"
)

// YAML writes the experiment as a file that Load reads. Of a resolved
// experiment it shows every default and is enough to repeat the run; a program
// given as a Go function is not part of it.
func (e *Experiment) YAML() ([]byte, error) {
	return yaml.MarshalWithOptions(e, yaml.Indent(2), yaml.IndentSequence(true))
}
