package tune

import (
	"strconv"

	"fabricast/internal/config"
)

// network is the network of the experiment in one of its shapes.
type network struct {
	root  *config.Node // the experiment with this network
	field string       // that has the shape
	shape Shape        // nil: that of the file
}

// networks returns the networks on which the collective is tuned.
func (t *Tune) networks() ([]*network, error) {
	if t.spec.Shapes == nil {
		return []*network{{root: t.root}}, nil
	}
	field := "network.topology.dims"
	if config.Get(t.root, "network.machine") != nil {
		field = "network.shape"
	} else if config.Get(t.root, field) == nil {
		at, found := t.root, "no network"
		for _, path := range []string{"network", "network.topology"} {
			if n := config.Get(t.root, path); n != nil {
				at, found = n, path+" without dims"
			}
		}
		return nil, refuse(at, found, "a machine, or a topology with dims, which --shapes replace")
	}
	var list []*network
	for _, s := range t.spec.Shapes {
		list = append(list, &network{root: config.Put(t.root, field, s.node()), field: field, shape: s})
	}
	return list, nil
}

// node returns the shape as the value of a field.
func (s Shape) node() *config.Node {
	n := &config.Node{Kind: config.List}
	for _, size := range s {
		n.Items = append(n.Items, scalar(strconv.Itoa(size)))
	}
	return n
}
