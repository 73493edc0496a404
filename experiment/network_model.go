package experiment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"fabricast/internal/config"
	"fabricast/internal/units"
)

// Network models (docs/abstract-networks.md).
const (
	ModelPacket         = "packet"
	ModelContentionFree = "contention-free"
	ModelAlphaBeta      = "alpha-beta"
	ModelLogP           = "logp"
	ModelLogGP          = "loggp"
	ModelLogGOPS        = "loggops"
)

// Parameters are the parameters of the models without routers. Each model uses some of them. The
// default of a parameter is derived from the topology; without a topology, it is that of LogGOPSim.
// The letters are those used in the papers on the models.
type Parameters struct {
	L *units.Time `yaml:"L,omitempty"` // latency from NIC to NIC
	// Overhead is the processor overhead per send and per receive.
	Overhead *units.Time `yaml:"o,omitempty"`
	Gap      *units.Time `yaml:"g,omitempty"` // minimum time between the starts of two messages of a NIC
	// GapPerByte is the time of a NIC per byte of a message, except for the first byte.
	GapPerByte *units.PerByte `yaml:"G,omitempty"`
	// OverheadPerByte is the processor time per byte of a message, except for the first byte.
	OverheadPerByte *units.PerByte `yaml:"O,omitempty"`
	// S is the size of the largest eager message, which is sent whether or not its receive has been
	// posted. Nil means that all messages are eager.
	S *units.Bytes `yaml:"S,omitempty"`

	Alpha *units.Time    `yaml:"alpha,omitempty"` // latency from NIC to NIC
	Beta  *units.PerByte `yaml:"beta,omitempty"`  // time that a NIC takes per byte
}

// networkModel is a model that experiments can select by name.
type networkModel struct {
	name   string
	params []string
}

var networkModels = []networkModel{
	{ModelPacket, nil},
	{ModelContentionFree, nil},
	{ModelAlphaBeta, []string{"alpha", "beta"}},
	{ModelLogP, []string{"L", "o", "g"}},
	{ModelLogGP, []string{"L", "o", "g", "G"}},
	{ModelLogGOPS, []string{"L", "o", "g", "G", "O", "S"}},
}

// ModelNames returns the names of the network models.
func ModelNames() []string {
	names := make([]string, len(networkModels))
	for i, m := range networkModels {
		names[i] = m.name
	}
	return names
}

// ModelParameters returns the names of the parameters of a model.
func ModelParameters(model string) []string {
	for _, m := range networkModels {
		if m.name == model {
			return m.params
		}
	}
	return nil
}

// Abstract reports whether the network is simulated message by message, without packets.
func (n *Network) Abstract() bool { return n.Model != "" && n.Model != ModelPacket }

// Routerless reports whether the model has parameters instead of routers and links.
func (n *Network) Routerless() bool { return n.Abstract() && n.Model != ModelContentionFree }

// LogGOPS reports whether processors take part in communication, as in LogGOPSim.
func (n *Network) LogGOPS() bool { return n.Model == ModelLogGOPS }

// NoTopology reports whether the network is described by hosts and parameters only.
func (e *Experiment) NoTopology() bool {
	return e.Network.Routerless() && e.Network.Topology == nil && !e.positions.Has("network.topology")
}

// hostsOfRanks returns the number of hosts that the ranks need, for a network without a topology.
func (e *Experiment) hostsOfRanks() int {
	share := max(1, e.Node.Ranks)
	return (max(0, e.Ranks) + share - 1) / share
}

// logGOPSim holds the defaults of LogGOPSim, for networks without a topology.
var logGOPSim = struct {
	L, o, g units.Time
	G       units.PerByte
	S       units.Bytes
}{
	2500 * units.Nanosecond, 1500 * units.Nanosecond, 1000 * units.Nanosecond,
	units.PerByteOf(6*units.Nanosecond, 1), 65535,
}

// parameters fills in the parameters of a network without a topology.
func (f filler) parameters(n *Network) {
	p := &n.Parameters
	for _, name := range ModelParameters(n.Model) {
		path := "network.parameters." + name
		switch name {
		case "L":
			point(f, path, &p.L, logGOPSim.L)
		case "o":
			point(f, path, &p.Overhead, logGOPSim.o)
		case "g":
			point(f, path, &p.Gap, logGOPSim.g)
		case "G":
			point(f, path, &p.GapPerByte, logGOPSim.G)
		case "O":
			point(f, path, &p.OverheadPerByte, 0)
		case "S":
			point(f, path, &p.S, logGOPSim.S)
		case "alpha":
			point(f, path, &p.Alpha, logGOPSim.L)
		case "beta":
			point(f, path, &p.Beta, logGOPSim.G)
		}
	}
}

// point is like give, for a field whose zero value is a valid setting.
func point[T comparable](f filler, path string, v **T, value T) {
	if *v != nil {
		return
	}
	*v = &value
	if f.e.defaults != nil {
		f.e.defaults[path] = fmt.Sprint(value)
	}
}

// model checks the model and its parameters, and rejects settings that do not exist in the model.
func (v *validator) model() {
	n := &v.e.Network
	if n.Model == "" {
		n = &Network{Model: ModelPacket, Parameters: n.Parameters}
	}
	v.choice("network.model", n.Model, ModelNames()...)
	v.parameters(n)
	if n.Abstract() {
		v.packetsOnly(n.Model)
	}
	if v.e.NoTopology() {
		v.linkless(n.Model)
	}
}

// parameters checks that the model has the given parameters, and checks their bounds.
func (v *validator) parameters(n *Network) {
	taken := ModelParameters(n.Model)
	if slices.IndexFunc(networkModels, func(m networkModel) bool { return m.name == n.Model }) < 0 {
		return
	}
	s := reflect.ValueOf(n.Parameters)
	for i := range s.NumField() {
		name, _, _ := strings.Cut(s.Type().Field(i).Tag.Get("yaml"), ",")
		path := "network.parameters." + name
		if s.Field(i).IsNil() {
			continue
		}
		if !slices.Contains(taken, name) {
			expected := "no parameters"
			if len(taken) > 0 {
				expected = config.OneOf(taken)
			}
			v.problem(path, "a parameter that the model "+n.Model+" does not have", expected, "")
			continue
		}
		switch p := s.Field(i).Interface().(type) {
		case *units.Time:
			if name == "L" || name == "alpha" {
				v.demand(*p > 0 && *p <= maxDelay, path, *p, "a time above 0ps, up to "+maxDelay.String())
			} else {
				v.delay(path, *p)
			}
		case *units.PerByte:
			v.demand(*p >= 0 && *p <= maxPerByte, path, *p, "a time from 0fs to "+maxPerByte.String()+", or a rate")
		case *units.Bytes:
			v.demand(*p >= 0 && *p <= maxSize, path, *p, "a size from 0B to "+units.Bytes(maxSize).String())
		}
	}
}

// maxPerByte limits the time per byte, so that sums for the largest messages do not overflow.
const maxPerByte units.PerByte = 1_000_000_000 // 1 us per byte

// packetsOnly rejects settings of packets, routers and links, which do not exist in the given
// model.
func (v *validator) packetsOnly(model string) {
	e := v.e
	none := "the model " + ModelPacket + ", or none: with " + model + " there are no packets"
	v.demand(!e.HasTraffic(), "network.model", model+" with synthetic traffic",
		ModelPacket+": traffic measures how links saturate, and no link does here")
	for i := range e.Jobs {
		v.demand(
			reflect.ValueOf(e.Jobs[i].Traffic).IsZero(),
			index("jobs", i)+".traffic",
			"synthetic traffic",
			none,
		)
	}
	v.demand(len(e.Jobs) == 0 || !e.NoTopology(), "network.topology", "",
		"a topology, on whose hosts jobs are placed")
	v.demand(e.Node.Gap == 0, "node.gap", packetTimes(e.Node.Gap), none)
	v.demand(!e.Workload.Pacing.Given(), "workload.pacing", "packet pacing", none)
	v.demand(!e.Collectives.PacesAny(), "collectives", "packet pacing", none)
	v.demand(e.Record.Bins.Interval == "", "record.bins", "bins of links", none)
	v.demand(len(e.Record.Buffers.Routers) == 0, "record.buffers", "packets through routers", none)
	if e.Network.LogGOPS() {
		v.demand(e.Node.Copies == CopiesZero, "node.copies", e.Node.Copies,
			CopiesZero+": the parameter O is what each byte costs the processor")
	}
}

// linkless rejects settings of links in a network without a topology.
func (v *validator) linkless(model string) {
	for _, name := range []string{"routing", "link", "host_link", "links", "router", "packet"} {
		v.demand(!v.e.positions.Has("network."+name), "network."+name, "a part of networks with a topology",
			"parameters of the model "+model+", or a topology")
	}
}

// networkYAML encodes those settings of n that its network model has.
func (e *Experiment) networkYAML(n Network) ([]byte, error) {
	return yaml.Marshal(struct {
		Model      string     `yaml:"model"`
		Parameters Parameters `yaml:"parameters"`
	}{n.Model, n.Parameters})
}
