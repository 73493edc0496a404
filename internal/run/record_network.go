package run

import (
	"encoding/json"
	"errors"
	"iter"
	"path/filepath"

	"fabricast/fabric"
	"fabricast/internal/picture"
	"fabricast/internal/plan"
	"fabricast/record"
	"fabricast/topology"
)

// networkMap describes the position of routers and links in the network of a plan.
type networkMap struct {
	plan *plan.Plan
	kind string // as in experiments
	file string // that describes the network; "": none
}

// writeNetwork writes network.json, the description of the network.
func (m networkMap) writeNetwork(f *record.Folder) error {
	n := describeNetwork(m.plan.Topology)
	g := m.plan.Fabric.Graph
	n.Schema = record.NetworkSchema
	if m.kind != "" { // else it was described in Go
		n.Kind = m.kind
	}
	if m.file != "" {
		n.File = filepath.Base(m.file)
	}
	n.Links = linksOf(g)
	n.Classes = m.plan.Classes
	n.VCs, n.Buffer = m.plan.Fabric.Router.VCs, int64(m.plan.Fabric.Router.Buffer)
	text, err := json.MarshalIndent(n, "", "  ")
	return errors.Join(err, f.Write(record.NetworkFile, append(text, '\n')))
}

// linksOf counts all links of a network, each direction separately, those of NICs included.
func linksOf(g *topology.Graph) int { return plan.RouterLinks(g) + 2*len(g.NICPort) }

func describeNetwork(t topology.Topology) *record.Network {
	g := t.Graph()
	n := &record.Network{
		Kind:    t.Kind(),
		Layout:  record.LayoutGraph,
		Routers: g.Routers,
		Hosts:   g.Hosts,
		NICs:    len(g.NICPort),
	}
	switch t := t.(type) {
	case *topology.Torus:
		n.Layout, n.Dims = record.LayoutMesh, t.Dims()
		for d := range n.Dims {
			n.Wrap = append(n.Wrap, t.Wraps(d))
			if t.Wraps(d) {
				n.Layout = record.LayoutTorus
			}
		}
	case *topology.Full:
		n.Layout = record.LayoutGraph
	case *topology.HyperX:
		n.Layout, n.Dims = record.LayoutMesh, t.Dims()
	case *topology.XGFT:
		n.Layout = record.LayoutTree
		for l := 1; l <= t.Levels(); l++ {
			n.Children, n.Parents = append(n.Children, t.Children(l)), append(n.Parents, t.Parents(l))
		}
		n.Levels = t.LinkClasses()
	case grouped:
		n.Layout, n.Groups, n.GroupSize = record.LayoutDragonfly, t.Groups(), t.GroupSize()
	case *topology.SlimFly:
		n.Layout, n.Groups, n.GroupSize = record.LayoutDragonfly, t.Q(), 2*t.Q()
	case *topology.Hierarchy:
		n.Layout, n.Block, n.Outer = record.LayoutHierarchy, describeNetwork(t.Block()), describeNetwork(t.Outer())
		for _, d := range topology.Dimensions(t) {
			n.Dims = append(n.Dims, d.Size)
		}
	}
	if n.Dims != nil {
		for _, d := range topology.Dimensions(t) {
			n.Dimensions = append(n.Dimensions, d.Name)
		}
	}
	return n
}

// grouped is a topology whose routers form groups of equal size.
type grouped interface {
	topology.Topology
	Groups() int
	GroupSize() int
}

// place fills in the position of a router in its topology: coordinates, level or group.
func place(row *record.Router, t topology.Topology, router int) {
	for d, c := range topology.Coordinates(t, router, nil) {
		if d < record.Coordinates {
			*[]*int16{&row.C0, &row.C1, &row.C2, &row.C3, &row.C4, &row.C5, &row.C6}[d] = int16(c)
		}
	}
	switch t := t.(type) {
	case *topology.XGFT:
		row.Level = int16(t.Level(router))
	case grouped:
		row.Group = int32(router / t.GroupSize())
	case *topology.SlimFly:
		row.Group = int32(router / (2 * t.Q()))
	case *topology.Hierarchy:
		block, inner := t.Place(router)
		if within, ok := t.Block().(*topology.XGFT); ok && block >= 0 {
			row.Level = int16(within.Level(inner))
		} else if outer, ok := t.Outer().(*topology.XGFT); ok && block < 0 {
			row.Level = int16(outer.Level(inner))
		}
		row.Group = int32(block)
	}
}

// routerRows yields a row for each router. port returns what left through a router's port.
func (m networkMap) routerRows(port func(int) fabric.PortUse) iter.Seq[record.Router] {
	return func(yield func(record.Router) bool) {
		t, g := m.plan.Topology, m.plan.Fabric.Graph
		x, y := picture.Places(t)
		for r := range g.Routers {
			row := record.Router{
				Router: int32(r), Name: t.RouterName(r), Level: -1, Group: -1,
				C0: -1, C1: -1, C2: -1, C3: -1, C4: -1, C5: -1, C6: -1, DrawX: x[r], DrawY: y[r],
			}
			place(&row, t, r)
			row.DrawZ = float32(max(0, row.C2))
			for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
				use := port(int(p))
				row.Packets += int64(use.Packets)
				row.Bytes += int64(use.Bytes)
				if nic := g.Ports[p].NIC; nic != topology.Unconnected && int(nic)%g.NICsPerHost == 0 {
					row.Hosts++
				}
			}
			if !yield(row) {
				return
			}
		}
	}
}

// nicRows yields a row for each NIC.
func (m linkMeter) nicRows() iter.Seq[record.NIC] {
	return func(yield func(record.NIC) bool) {
		g := m.plan.Fabric.Graph
		for nic, port := range g.NICPort {
			in, out := m.injection(nic), m.output(int(port))
			row := record.NIC{
				NIC: int32(nic), Host: int32(nic / g.NICsPerHost), Router: in.Router,
				InjectedPackets: in.Packets, InjectedBytes: in.Bytes, InjectionBusy: in.Busy,
				DeliveredPackets: out.Packets, DeliveredBytes: out.Bytes, DeliveryBusy: out.Busy,
			}
			if !yield(row) {
				return
			}
		}
	}
}

// dimensionAndLevel returns the dimension and the level of the link at a router's port; -1 for what
// the link does not have.
func dimensionAndLevel(t topology.Topology, router, port int) (dimension, level int8) {
	switch t := t.(type) {
	case *topology.Torus:
		if port < 2*len(t.Dims()) {
			return int8(port / 2), -1
		}
	case *topology.Full:
	case *topology.HyperX:
		if port < t.FirstNIC() {
			return int8(t.PortDim(port)), -1
		}
	case *topology.Hierarchy:
		return dimensionInHierarchy(t, router, port), -1
	case *topology.XGFT:
		level := t.Level(router)
		if port >= t.Ups(level) {
			level--
		}
		return -1, int8(level)
	}
	return -1, -1
}

// dimensionInHierarchy returns the dimension of a link between blocks or within a block of a
// hierarchy; -1 if it has none.
func dimensionInHierarchy(h *topology.Hierarchy, router, port int) int8 {
	block, inner := h.Place(router)
	if block < 0 {
		return -1
	}
	first := 0 // of the block's dimensions
	if !h.Hosted() {
		first = len(topology.Dimensions(h.Outer()))
	}
	if external, ok := h.External(router, port); ok {
		if h.Hosted() ||
			external >= int(h.Outer().Graph().PortBase[block+1]-h.Outer().Graph().PortBase[block]) {
			return -1
		}
		d, _ := dimensionAndLevel(h.Outer(), block, external)
		return d
	}
	if port >= h.OwnLinks(inner) {
		return -1
	}
	if _, ok := h.Block().(*topology.Full); ok {
		return int8(first)
	}
	if d, _ := dimensionAndLevel(h.Block(), inner, port); d >= 0 {
		return int8(first) + d
	}
	return -1
}
