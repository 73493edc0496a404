package fabricast

import (
	"github.com/goccy/go-yaml"
)

// YAML writes the experiment as a file that Load reads. Of a resolved
// experiment it shows every default and is enough to repeat the run; a program
// given as a Go function is not part of it.
func (e *Experiment) YAML() ([]byte, error) {
	return yaml.MarshalWithOptions(e, yaml.Indent(2), yaml.IndentSequence(true), yaml.CustomMarshaler(e.linksYAML))
}

// linksYAML writes network.links without what the entries leave open: that depends
// on the classes of the links and is not the same for all that an entry names.
func (e *Experiment) linksYAML(links map[string]Link) ([]byte, error) {
	type entry struct {
		Bandwidth *Rate `yaml:"bandwidth,omitempty"`
		Latency   *Time `yaml:"latency,omitempty"`
	}
	entries := make(map[string]entry, len(links))
	for name, l := range links {
		var said entry
		bandwidth, latency := e.says(name)
		if bandwidth {
			said.Bandwidth = &l.Bandwidth
		}
		if latency {
			said.Latency = &l.Latency
		}
		entries[name] = said
	}
	return yaml.Marshal(entries)
}
