package calibrate

import (
	"fmt"
	"math"
	"strings"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/internal/units"
)

// Parameter is a parameter that a calibration may change. Its value is positive, in the base unit
// of its kind. The search uses the logarithm of the value.
type Parameter struct {
	Name   string   // a name of one word
	Fields []string // fields of the experiment that all get the value
	Kind   Unit
	// Least and Most are plausible bounds of the value.
	Least, Most float64
	// start is the initial value if the file has none.
	start float64
}

// Unit is the kind of a parameter's value.
type Unit uint8

// Values of Unit.
const (
	Times    Unit = iota // in ps
	Rates                // in bytes/s
	PerBytes             // in fs per byte
	Pauses               // in packet times, plus 1
)

// write formats a value for a field of an experiment.
func (u Unit) write(v float64) string {
	switch u {
	case Rates:
		return fmt.Sprintf("%dB/s", int64(math.Round(v)))
	case PerBytes:
		return units.PerByte(math.Round(v)).String()
	case Pauses:
		return fmt.Sprintf("%.3f", max(v-1, 0))
	}
	return fmt.Sprintf("%dps", int64(math.Round(v)))
}

// read parses the value of a field, or returns 0 if the text has none.
func (u Unit) read(text string) float64 {
	switch u {
	case Rates:
		v, _ := units.ParseRate(text)
		return float64(v)
	case PerBytes:
		v, _ := units.ParsePerByte(text)
		return float64(v)
	case Pauses:
		v, _ := units.ParseFraction(text)
		return v.Float() + 1
	}
	v, _ := units.ParseTime(text)
	return float64(v)
}

// String formats a value for display, with four digits.
func (u Unit) String(v float64) string {
	switch u {
	case Rates:
		return fmt.Sprintf("%.4gGB/s", v/1e9)
	case PerBytes:
		return fmt.Sprintf("%.4gps", v/1e3)
	case Pauses:
		return fmt.Sprintf("%.3f", max(v-1, 0))
	}
	return fmt.Sprintf("%.4gns", v/1e3)
}

const (
	nanosecond = 1e3 // in ps
	gigabyte   = 1e9
)

// packetParameters are the parameters of packet networks, the most important first. If the
// measurements cannot distinguish two parameters, the later one keeps its value.
var packetParameters = []Parameter{
	{
		Name:   "bandwidth",
		Fields: []string{"network.link.bandwidth", "network.host_link.bandwidth"},
		Kind:   Rates,
	},
	{Name: "overhead", Fields: []string{"node.overhead"}, Kind: Times, start: 200 * nanosecond},
	{Name: "combine", Fields: []string{"node.work.combine"}, Kind: Rates, start: 10 * gigabyte},
	{Name: "copy", Fields: []string{"node.work.copy"}, Kind: Rates, start: 10 * gigabyte},
	{Name: "setup", Fields: []string{"node.protocol.setup"}, Kind: Times, start: 100 * nanosecond},
	{Name: "latency", Fields: []string{"network.host_link.latency"}, Kind: Times, start: 50 * nanosecond},
	{Name: "dma", Fields: []string{"node.dma"}, Kind: Rates},
	{Name: "memory", Fields: []string{"node.memory"}, Kind: Rates},
	{Name: "hop", Fields: []string{"network.router.latency"}, Kind: Times, start: 50 * nanosecond},
	{Name: "notice", Fields: []string{"node.protocol.notice"}, Kind: Times},
	{Name: "gap", Fields: []string{"node.gap"}, Kind: Pauses, start: 1},
}

// abstractParameters are the parameters of networks without routers, by their names in the models.
var abstractParameters = []Parameter{
	{Name: "G", Fields: []string{"network.parameters.G"}, Kind: PerBytes},
	{Name: "beta", Fields: []string{"network.parameters.beta"}, Kind: PerBytes},
	{Name: "o", Fields: []string{"network.parameters.o"}, Kind: Times, start: 200 * nanosecond},
	{Name: "alpha", Fields: []string{"network.parameters.alpha"}, Kind: Times},
	{Name: "L", Fields: []string{"network.parameters.L"}, Kind: Times},
	{Name: "combine", Fields: []string{"node.work.combine"}, Kind: Rates, start: 10 * gigabyte},
	{Name: "copy", Fields: []string{"node.work.copy"}, Kind: Rates, start: 10 * gigabyte},
	{Name: "g", Fields: []string{"network.parameters.g"}, Kind: Times, start: 100 * nanosecond},
	{Name: "O", Fields: []string{"network.parameters.O"}, Kind: PerBytes, start: 1e3},
}

// Names lists the names of all parameters, discrete ones included.
func Names() (names []string) {
	seen := map[string]bool{}
	for _, list := range [][]Parameter{packetParameters, abstractParameters} {
		for _, p := range list {
			if !seen[p.Name] {
				seen[p.Name], names = true, append(names, p.Name)
			}
		}
	}
	return append(names, eagerName, aboveName, copiesName)
}

// Names of discrete parameters.
const (
	eagerName  = "eager"
	aboveName  = "setup_above"
	copiesName = "copies"
)

// starts returns the parameters of an experiment's model and their initial values. It includes only
// parameters that the experiment has or may have.
func starts(e *fabricast.Experiment, routerless bool) (list []Parameter, values []float64, err error) {
	text, err := e.YAML()
	if err != nil {
		return nil, nil, err
	}
	root, err := config.Parse(&config.Source{Name: "the network", Text: string(text)})
	if err != nil {
		return nil, nil, err
	}
	candidates := packetParameters
	if routerless {
		candidates = abstractParameters
	}
	for _, p := range candidates {
		at, ok := p.value(root)
		if !ok {
			continue
		}
		p.Fields = alike(root, p)
		p.Least, p.Most = at/100, at*100
		if p.Kind == Pauses {
			p.Least, p.Most = 1, 16
		}
		list, values = append(list, p), append(values, at)
	}
	return list, values, nil
}

// value returns the value of a parameter in a resolved experiment, or its initial value.
func (p *Parameter) value(root *config.Node) (v float64, ok bool) {
	if n := config.Get(root, p.Fields[0]); n != nil {
		v = p.Kind.read(n.Text)
	}
	if v <= 0 {
		v = p.start
	}
	return v, v > 0
}

// alike returns those fields of a parameter that have the same value in an experiment as its first
// field.
func alike(root *config.Node, p Parameter) (fields []string) {
	first := config.Get(root, p.Fields[0])
	for _, f := range p.Fields {
		n := config.Get(root, f)
		if f == p.Fields[0] || first != nil && n != nil && n.Text == first.Text {
			fields = append(fields, f)
		}
	}
	return fields
}

// assignments returns the settings that assign values to parameters.
func assignments(list []Parameter, values []float64) (sets []string) {
	for i, p := range list {
		for _, f := range p.Fields {
			sets = append(sets, f+"="+p.Kind.write(values[i]))
		}
	}
	return sets
}

// field splits an assignment into the path of the field and its value.
func field(assignment string) (path, value string) {
	path, value, _ = strings.Cut(assignment, "=")
	return path, value
}
