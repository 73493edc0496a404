package plan

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"fabricast/experiment"
	"fabricast/internal/usercache"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// provedBefore returns the report of an earlier run on the same network if the user's cache has one, and otherwise
// that of check. Only proofs are kept: a search that followed some of the routes is repeated, and so is one that found
// a cycle, which can then be shown. text is what networkKey returns.
func provedBefore(
	cache *usercache.Folder, e *experiment.Resolved, g *topology.Graph, text string,
	check func() (*deadlock.Report, error),
) (*deadlock.Report, error) {
	if cache == nil || !builtIn(e) {
		return check()
	}
	key, known := proofKey(cache, text, g), new(deadlock.Report)
	if data, ok := cache.Get(key); ok && json.Unmarshal(data, known) == nil {
		return known, nil
	}
	report, err := check()
	if err != nil || !report.Whole() || report.Sampled {
		return report, err
	}
	if data, err := json.Marshal(report); err == nil {
		cache.Put(key, data)
	}
	return report, nil
}

// proofKey hashes what the verdict depends on: the options of topology and routing, and the graph. The cache adds the
// program, so the code of the topology, the algorithm and the proof.
func proofKey(cache *usercache.Folder, text string, g *topology.Graph) (key usercache.Key) {
	h := cache.Hash()
	fmt.Fprintf(h, "verdict on deadlock\n%q %d %d %d\n", text, g.Routers, g.Hosts, g.NICsPerHost)
	var part []byte
	add := func(numbers ...int32) {
		for _, n := range numbers {
			part = binary.LittleEndian.AppendUint32(part, uint32(n))
		}
		if len(part) >= 1<<15 {
			h.Write(part)
			part = part[:0]
		}
	}
	for i := range g.Ports {
		p := &g.Ports[i]
		closed := int32(0)
		if p.Closed {
			closed = 1
		}
		add(p.Router, p.Peer, p.NIC, int32(p.Link), closed)
	}
	for _, end := range g.Ends {
		if end {
			add(1)
		} else {
			add(0)
		}
	}
	add(g.PortBase...)
	add(g.NICPort...)
	h.Write(part)
	h.Sum(key[:0])
	return key
}

// builtIn reports whether the experiment's topology and routing are of Fabricast itself. A user's own code may depend
// on more than its options.
func builtIn(e *experiment.Resolved) bool {
	return ownPlain(reflect.ValueOf(e.Network.Topology)) && ownPlain(reflect.ValueOf(e.Network.Routing))
}

// ownPackages are the packages whose types options of topologies and routing algorithms consist of.
var ownPackages = []string{"", "fabricast/topology", "fabricast/routing", "fabricast/internal/units"}

// ownPlain reports whether a value, which may be an interface, has only types of ownPackages, and no pointers or
// functions. The text of such a value determines it.
func ownPlain(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}
	if !slices.Contains(ownPackages, v.Type().PkgPath()) {
		return false
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !ownPlain(v.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !ownPlain(v.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		return ownPlain(v.Elem())
	case reflect.Pointer, reflect.UnsafePointer, reflect.Func, reflect.Chan, reflect.Map:
		return v.IsZero()
	default:
		return true
	}
}
