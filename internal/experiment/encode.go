package experiment

import (
	"slices"

	"github.com/goccy/go-yaml"

	"fabricast/internal/units"
)

// YAML returns the experiment as a file that Load reads. A resolved experiment is written with all
// defaults, which is enough to repeat the run. A program given as a Go function is left out.
func (e *Experiment) YAML() ([]byte, error) {
	options := []yaml.EncodeOption{
		yaml.Indent(2),
		yaml.IndentSequence(true),
		yaml.CustomMarshaler(e.linksYAML),
	}
	if e.NoTopology() {
		options = append(options, yaml.CustomMarshaler(e.networkYAML))
	}
	if e.Workload.Empty || slices.ContainsFunc(e.Jobs, func(j Job) bool { return j.Workload.Empty }) {
		e, options = e.withEmpty(options)
	}
	return yaml.MarshalWithOptions(e, options...)
}

// withEmpty returns a copy of the experiment, and encoding options, by which a message size of 0 is
// written although zero values are left out. The copy marks the size by -1.
func (e *Experiment) withEmpty(options []yaml.EncodeOption) (*Experiment, []yaml.EncodeOption) {
	const empty units.Bytes = -1
	marked := *e
	marked.Jobs = slices.Clone(e.Jobs)
	mark := func(w *Workload) {
		if w.Empty {
			w.Size = empty
		}
	}
	mark(&marked.Workload)
	for i := range marked.Jobs {
		mark(&marked.Jobs[i].Workload)
	}
	return &marked, append(options, yaml.CustomMarshaler(func(b units.Bytes) ([]byte, error) {
		return []byte(max(b, 0).String()), nil
	}))
}

// linksYAML writes network.links without the fields that an entry does not set: their values depend
// on the class of each link that the entry names.
func (e *Experiment) linksYAML(links map[string]Link) ([]byte, error) {
	type entry struct {
		Bandwidth *units.Rate `yaml:"bandwidth,omitempty"`
		Latency   *units.Time `yaml:"latency,omitempty"`
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
