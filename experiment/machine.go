package experiment

import (
	"fmt"
	"slices"

	"fabricast/internal/config"
	"fabricast/machines"
)

// machineField and shapeField are the fields of a network that select a real machine.
const (
	machineField = "network.machine"
	shapeField   = "network.shape"
)

// withMachine returns the file with the settings of the machine that it names added. The file's own
// settings take precedence one by one. A file that names no machine is returned unchanged, and so
// is one whose fields cannot be read, since decoding reports that.
func withMachine(root *config.Node) (*config.Node, config.Problems) {
	network := config.Get(root, "network")
	if network == nil || network.Kind != config.Mapping || config.Get(root, machineField) == nil {
		return root, nil
	}
	var named struct {
		Network struct {
			Machine string `yaml:"machine"`
			Shape   []int  `yaml:"shape"`
		} `yaml:"network"`
	}
	_, problems := config.Decode(only(root, network, "machine", "shape"), &named)
	name, shape := named.Network.Machine, named.Network.Shape
	if len(problems) > 0 || name == "" {
		return root, nil
	}
	machine := machines.Find(name)
	if machine == nil {
		return nil, config.Problems{{
			Position: config.Get(root, machineField).Position, Field: machineField, Found: name,
			Expected: config.OneOf(machines.Names()), Hint: config.DidYouMean(name, machines.Names()),
		}}
	}
	if shape != nil {
		if expected := machine.Shape.Check(shape); expected != "" {
			return nil, config.Problems{{
				Position: config.Get(root, shapeField).Position, Field: shapeField,
				Found: fmt.Sprint(shape), Expected: expected,
			}}
		}
	}
	settings, err := config.Parse(&config.Source{Name: "machine " + name, Text: machine.YAML(shape)})
	if err != nil {
		panic(err) // in a built-in description; tests parse all of them
	}
	if config.Get(root, "jobs") != nil || config.Get(root, "traffic") != nil {
		settings = config.Without(settings, "mapping") // a mapping applies to the ranks of a single program
	}
	return over(settings, config.Put(root, "network", config.Without(network, "machine", "shape")), ""), nil
}

// only returns a file that contains only the given keys of its network.
func only(root, network *config.Node, keys ...string) *config.Node {
	part := *network
	part.Fields = slices.DeleteFunc(slices.Clone(network.Fields), func(f config.Field) bool {
		return !slices.Contains(keys, f.Key)
	})
	file := *root
	file.Fields = []config.Field{{Key: "network", KeyPosition: network.Position, Value: &part}}
	return &file
}

// variants maps the path of each mapping that comes in variants to the key that selects the
// variant. A different variant replaces the whole mapping.
var variants = map[string]string{
	"network.topology": "kind", "network.routing": "algorithm",
	"node.transport.control": "algorithm", "node.transport.paths": "algorithm",
}

// over returns base with the fields of own added or replaced. Fields that are mappings in both are
// merged recursively.
func over(base, own *config.Node, path string) *config.Node {
	if base.Kind != config.Mapping || own.Kind != config.Mapping || otherVariant(base, own, path) {
		return own
	}
	joined := *base
	joined.Fields = slices.Clone(base.Fields)
	for _, f := range own.Fields {
		at := slices.IndexFunc(joined.Fields, func(b config.Field) bool { return b.Key == f.Key })
		if at < 0 {
			joined.Fields = append(joined.Fields, f)
			continue
		}
		below := f.Key
		if path != "" {
			below = path + "." + f.Key
		}
		f.Value = over(joined.Fields[at].Value, f.Value, below)
		joined.Fields[at] = f
	}
	joined.Position = own.Position
	return &joined
}

// otherVariant reports whether own selects another variant than base.
func otherVariant(base, own *config.Node, path string) bool {
	word := variants[path]
	if word == "" {
		return false
	}
	a, b := config.Get(base, word), config.Get(own, word)
	return a != nil && b != nil && a.Text != b.Text
}

// Machine returns an experiment with the network and nodes of a machine, but no program. shape has
// the meaning of network.shape; without it, the whole machine is returned. The error is a
// *failure.ConfigError.
func Machine(name string, shape ...int) (*Experiment, error) {
	word := func(text string) *config.Node { return &config.Node{Kind: config.Scalar, Text: text} }
	root := config.Put(&config.Node{Kind: config.Mapping}, machineField, word(name))
	if len(shape) > 0 {
		list := &config.Node{Kind: config.List}
		for _, n := range shape {
			list.Items = append(list.Items, word(fmt.Sprint(n)))
		}
		root = config.Put(root, shapeField, list)
	}
	return Decode(root, ".", nil, NetworkOnly, nil)
}

// machine rejects a machine named in an experiment built in Go, where the function Machine must be
// used instead.
func (v *validator) machine() {
	n := &v.e.Network
	v.demand(n.Machine == "", machineField, n.Machine, "none in Go, where Machine returns its fields")
	v.demand(len(n.Shape) == 0, shapeField, fmt.Sprint(n.Shape), "network.machine beside it, whose "+
		"shape it is")
}
