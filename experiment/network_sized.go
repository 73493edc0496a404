package experiment

import "fabricast/topology"

// Sized returns a network of the given kind with at least the given number of hosts and not many
// more, in a commonly built shape. ok is false for a kind that cannot be sized by the number of
// hosts.
func Sized(kind string, hosts int) (s topology.Spec, ok bool) {
	k := topology.FindKind(kind)
	if k == nil {
		return nil, false
	}
	s = k.Sized(hosts)
	return s, s != nil
}

// HostsOf returns the number of hosts of a topology, or 0 if its fields are invalid.
func HostsOf(s topology.Spec) int {
	e := Experiment{Network: Network{Topology: s}}
	e.fillDefaults()
	return e.Hosts()
}
