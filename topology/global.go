package topology

// Arrangement selects which groups the global ports of a dragonfly's group lead to (Hastings,
// Rincon-Cruz, Spehmann, Meyers, Xu, Bunde and Leung, "Comparing Global Link Arrangements for
// Dragonfly Networks", CLUSTER 2015).
type Arrangement string

// The arrangements. The global ports of a group are numbered across its routers: if each router has
// h of them, port k of the group is port k mod h of router k / h. The rules below are for one link
// between any two of g groups.
const (
	// Absolute: port k of group i leads to group k if k < i, and to group k+1 otherwise.
	Absolute Arrangement = "absolute"
	// Relative: port k of group i leads to group i+k+1 mod g.
	Relative Arrangement = "relative"
	// Circulant: ports 0, 1, 2, 3, ... of group i lead to groups i+1, i-1, i+2, i-2, ... mod g.
	Circulant Arrangement = "circulant"
)

// arrangementHelp describes the option.
const arrangementHelp = "of the global links, 'absolute', 'relative' or 'circulant'"

// Arrangements lists the names of the arrangements.
var Arrangements = []string{string(Absolute), string(Relative), string(Circulant)}

// Words implements option.Worded.
func (a *Arrangement) Words() []string { return Arrangements }

// UnmarshalText accepts any text. The check of the topology's parameters reports unknown
// arrangements.
func (a *Arrangement) UnmarshalText(text []byte) error {
	*a = Arrangement(text)
	return nil
}

// globals computes the links between groups that all have the same number of global ports.
//
// If a group has more ports than there are other groups, the arrangement is repeated in as many
// complete layers of groups-1 ports as possible. The remaining ports connect nearby groups as in
// the circulant arrangement. If one port is then left over, it connects to the opposite group if
// the number of groups is even, and stays open otherwise.
type globals struct {
	arrangement Arrangement
	groups      int
	ports       int // number of global ports per group
	layers      int // number of complete layers
}

func newGlobals(a Arrangement, groups, ports int) globals {
	w := globals{arrangement: a, groups: groups, ports: ports}
	if groups > 1 {
		w.layers = ports / (groups - 1)
	}
	return w
}

// Groups returns the number of groups.
func (w globals) Groups() int { return w.groups }

// Arrangement returns the arrangement of the global links.
func (w globals) Arrangement() Arrangement { return w.arrangement }

// LinkClasses returns "local", "host" and "global".
func (globals) LinkClasses() []string { return []string{"local", "host", "global"} }

// DistanceFormula implements Direct.
func (globals) DistanceFormula() {}

// far returns the other end of port k of a group: a group and its port. The group is Unconnected if
// the port is open.
func (w globals) far(group, k int) (peer, port int) {
	if w.groups == 1 {
		return int(Unconnected), 0
	}
	others := w.groups - 1
	if layer := k / others; layer < w.layers {
		peer = w.leads(group, k%others)
		return peer, layer*others + w.toward(peer, group)
	}
	rest := k - w.layers*others
	peer = w.leftover(group, rest)
	if peer == int(Unconnected) {
		return peer, 0
	}
	back, _ := w.leftoverToward(peer, group)
	return peer, w.layers*others + back
}

// leads returns the group that port k of a layer leads to.
func (w globals) leads(group, k int) int {
	switch w.arrangement {
	case Relative:
		return (group + k + 1) % w.groups
	case Circulant:
		return w.circulant(group, k)
	default:
		if k >= group {
			k++
		}
		return k
	}
}

// toward returns the port within a layer that leads from one group to another.
func (w globals) toward(group, other int) int {
	away := (other - group + w.groups) % w.groups
	switch w.arrangement {
	case Relative:
		return away - 1
	case Circulant:
		return circulantPort(away, w.groups)
	default:
		if other > group {
			other--
		}
		return other
	}
}

func (w globals) circulant(group, k int) int {
	step := k/2 + 1
	if k%2 == 1 {
		step = w.groups - step
	}
	return (group + step) % w.groups
}

// circulantPort returns the port of group i that leads to group i+away mod groups in the circulant
// arrangement.
func circulantPort(away, groups int) int {
	if 2*away <= groups {
		return 2 * (away - 1)
	}
	return 2*(groups-away-1) + 1
}

// leftover returns the group that a port beyond the complete layers leads to. rest is the port's
// index among these ports.
func (w globals) leftover(group, rest int) int {
	if left := w.ports - w.layers*(w.groups-1); left%2 == 1 && rest == left-1 {
		if w.groups%2 == 1 {
			return int(Unconnected)
		}
		return (group + w.groups/2) % w.groups
	}
	return w.circulant(group, rest)
}

// leftoverToward returns the index of the port beyond the complete layers that leads from one group
// to another. ok is false if there is none.
func (w globals) leftoverToward(group, other int) (rest int, ok bool) {
	left := w.ports - w.layers*(w.groups-1)
	away := (other - group + w.groups) % w.groups
	if left%2 == 1 && 2*away == w.groups {
		return left - 1, true
	}
	rest = circulantPort(away, w.groups)
	return rest, rest < left-left%2
}

// GlobalLinks returns the number of links between two different groups.
func (w globals) GlobalLinks(group, other int) int {
	if _, ok := w.leftoverToward(group, other); ok {
		return w.layers + 1
	}
	return w.layers
}

// link returns the port of the i-th link from one group to another.
func (w globals) link(group, other, i int) int {
	others := w.groups - 1
	if i < w.layers {
		return i*others + w.toward(group, other)
	}
	rest, _ := w.leftoverToward(group, other)
	return w.layers*others + rest
}
