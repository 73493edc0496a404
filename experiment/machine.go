package experiment

import (
	"fmt"
	"slices"

	"fabricast/internal/config"
	"fabricast/machines"
)

// machineField and shapeField are the fields of a network that name a real machine.
const (
	machineField = "network.machine"
	shapeField   = "network.shape"
)

// withMachine returns the file with the settings of the machine that it names, which its own
// settings replace one by one. A file that names none is returned as it is, and so is one whose
// fields cannot be read: decoding reports that.
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
		panic(err) // of a description; tests read all of them
	}
	if config.Get(root, "jobs") != nil || config.Get(root, "traffic") != nil {
		settings = config.Without(settings, "mapping") // which is one of a single program's ranks
	}
	return over(settings, config.Put(root, "network", config.Without(network, "machine", "shape")), ""), nil
}

// only returns a file that has only some fields of its network.
func only(root, network *config.Node, keys ...string) *config.Node {
	part := *network
	part.Fields = slices.DeleteFunc(slices.Clone(network.Fields), func(f config.Field) bool {
		return !slices.Contains(keys, f.Key)
	})
	file := *root
	file.Fields = []config.Field{{Key: "network", KeyPosition: network.Position, Value: &part}}
	return &file
}

// variants are the mappings whose fields belong to the word in one of them: another word replaces
// the whole mapping.
var variants = map[string]string{"network.topology": "kind", "network.routing": "algorithm"}

// over returns the mapping base with the fields of another one in place of its own. Fields that are
// mappings in both are joined.
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

// otherVariant reports whether a mapping names another variant than the base does.
func otherVariant(base, own *config.Node, path string) bool {
	word := variants[path]
	if word == "" {
		return false
	}
	a, b := config.Get(base, word), config.Get(own, word)
	return a != nil && b != nil && a.Text != b.Text
}

// Machine returns the network and nodes of a machine, without a program. shape is that of
// network.shape; none is the whole machine. The error is a *failure.ConfigError.
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

// machine reports a machine that is named in Go, where its fields are set by Machine.
func (v *validator) machine() {
	n := &v.e.Network
	v.demand(n.Machine == "", machineField, n.Machine, "none in Go, where Machine returns its fields")
	v.demand(len(n.Shape) == 0, shapeField, fmt.Sprint(n.Shape), "network.machine beside it, whose "+
		"shape it is")
}
