package experiment

import (
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/topology"
)

// YAML returns the experiment as a file that Load can read. A resolved experiment is written with
// all defaults, so the file suffices to repeat the run. A program given as a Go function is
// omitted.
func (e *Experiment) YAML() ([]byte, error) {
	options := []yaml.EncodeOption{
		yaml.Indent(2),
		yaml.IndentSequence(true),
		yaml.CustomMarshaler(e.linksYAML),
	}
	e = e.withForms()
	if e.NoTopology() {
		options = append(options, yaml.CustomMarshaler(e.networkYAML))
	}
	zeros := e.withZeros()
	options = append(options, zeros...)
	if e.Network.Ethernet() {
		options = append(options, withoutCreditFields(zeros)...)
	}
	if e.Workload.Empty || slices.ContainsFunc(e.Jobs, func(j Job) bool { return j.Workload.Empty }) {
		e, options = e.withEmpty(options)
	}
	return yaml.MarshalWithOptions(e, options...)
}

// withForms returns a copy of the experiment in which the topology and the routing are encoded as
// in experiment files.
func (e *Experiment) withForms() *Experiment {
	if e.NoTopology() {
		return e
	}
	formed := *e
	n := &formed.Network
	n.Topology = topologyInFile{n.Topology, topologyForm(n.Topology, false, e.network != nil)}
	n.Routing = routingInFile{n.Routing, e.routingForm()}
	formed.Node.Transport = e.Node.Transport.inFile(e.positions.Has)
	return &formed
}

// topologyInFile and the others are specifications that package yaml encodes as form.
type (
	topologyInFile struct {
		topology.Spec
		form any
	}
	routingInFile struct {
		routing.Spec
		form any
	}
	controlInFile struct {
		control.Spec
		form any
	}
	pathsInFile struct {
		paths.Spec
		form any
	}
)

// MarshalYAML returns the form for package yaml.
func (t topologyInFile) MarshalYAML() (any, error) { return t.form, nil }

// MarshalYAML returns the form for package yaml.
func (c controlInFile) MarshalYAML() (any, error) { return c.form, nil }

// MarshalYAML returns the form for package yaml.
func (p pathsInFile) MarshalYAML() (any, error) { return p.form, nil }

// MarshalYAML returns the form for package yaml.
func (r routingInFile) MarshalYAML() (any, error) { return r.form, nil }

// withEmpty makes YAML write message sizes of 0 where they were given, although it omits zero
// values. It returns a copy of the experiment that marks such sizes by -1, and the encoding options
// with one added that writes -1 as 0.
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

// linksYAML writes network.links without the fields that an entry does not set. Their values depend
// on the class of each link that the entry applies to.
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

// withZeros returns options by which package yaml writes zeros that it would omit although they are not
// the default: those of a resolved experiment, and those that the file has.
func (e *Experiment) withZeros() []yaml.EncodeOption {
	router, network := &e.Network.Router, &e.Network.InNetwork
	return []yaml.EncodeOption{
		zeros(e, "network.router.shared", func(s SharedBuffer) []string {
			switch {
			case router.Buffers == BuffersPFC:
				return []string{"reserve", "resume"}
			case s.Size > 0:
				return []string{"reserve"}
			}
			return nil
		}),
		zeros(e, "network.in_network", func(InNetwork) []string {
			if network.Given() {
				return []string{"latency", "copy"}
			}
			return nil
		}),
		// Without a rendezvous all messages are eager.
		zeros(e, "node.protocol", func(p Protocol) []string {
			if p.Rendezvous != "" {
				return []string{"eager"}
			}
			return nil
		}),
	}
}

// zeros returns an option that writes the struct at path with those of its zero fields that the
// experiment's file has. In a resolved experiment, fields returns those that are not the default.
func zeros[T any](e *Experiment, path string, fields func(T) []string) yaml.EncodeOption {
	return yaml.CustomMarshaler(func(of T) ([]byte, error) {
		var resolved []string
		if e.network != nil {
			resolved = fields(of)
		}
		return encodeStruct(of, func(name string, empty bool) bool {
			return !empty || e.positions.Has(path+"."+name) || slices.Contains(resolved, name)
		}, nil)
	})
}

// omitting returns which fields encodeStruct keeps: those that have a value and none of some names.
func omitting(names []string) func(name string, empty bool) bool {
	return func(name string, empty bool) bool { return !empty && !slices.Contains(names, name) }
}

// encodeStruct encodes those fields of a struct that are to be kept. A field is empty if package yaml
// would omit it.
func encodeStruct(of any, keep func(name string, empty bool) bool, within []yaml.EncodeOption) ([]byte, error) {
	var kept yaml.MapSlice
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		name, how, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		empty := strings.Contains(how, "omitempty") && v.Field(i).IsZero()
		if name != "-" && keep(name, empty) {
			kept = append(kept, yaml.MapItem{Key: name, Value: v.Field(i).Interface()})
		}
	}
	options := append([]yaml.EncodeOption{yaml.Indent(2), yaml.IndentSequence(true)}, within...)
	return yaml.MarshalWithOptions(kept, options...)
}
