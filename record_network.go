package fabricast

import (
	"encoding/json"
	"errors"
	"iter"
	"path/filepath"

	"fabricast/fabric"
	"fabricast/internal/picture"
	"fabricast/record"
	"fabricast/topology"
)

// networkMap tells where things are in the network of a plan.
type networkMap struct {
	plan *plan
	kind string // as in experiments
	file string // that describes the network; "": none
}

// writeNetwork writes network.json.
func (m networkMap) writeNetwork(f *record.Folder) error {
	n := describeNetwork(m.plan.topology)
	g := m.plan.fabric.Graph
	n.Schema = record.NetworkSchema
	if m.kind != "" { // else it was described in Go
		n.Kind = m.kind
	}
	if m.file != "" {
		n.File = filepath.Base(m.file)
	}
	n.Links = linksOf(g)
	n.Classes = m.plan.classes
	n.VCs, n.Buffer = m.plan.fabric.Router.VCs, m.plan.fabric.Router.Buffer
	text, err := json.MarshalIndent(n, "", "  ")
	return errors.Join(err, f.Write(record.NetworkFile, append(text, '\n')))
}

// linksOf counts the directions of all links.
func linksOf(g *topology.Graph) int { return routerLinks(g) + 2*len(g.NICPort) }

func describeNetwork(t topology.Topology) *record.Network {
	g := t.Graph()
	n := &record.Network{Kind: t.Kind(), Layout: record.LayoutGraph, Routers: g.Routers, Hosts: g.Hosts, NICs: len(g.NICPort)}
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
	}
	for d := range n.Dims {
		n.Dimensions = append(n.Dimensions, topology.DimensionName(d))
	}
	return n
}

// grouped is a network of groups.
type grouped interface {
	topology.Topology
	Groups() int
	GroupSize() int
}

// coordinated is a network of dimensions.
type coordinated interface {
	topology.Topology
	Dims() []int
	Coord(router, d int) int
}

// place fills in where a router is in the words of its topology.
func place(row *record.Router, t topology.Topology, router int) {
	switch t := t.(type) {
	case *topology.Full:
	case coordinated:
		for d := range min(len(t.Dims()), record.Coordinates) {
			*[]*int16{&row.C0, &row.C1, &row.C2, &row.C3, &row.C4, &row.C5}[d] = int16(t.Coord(router, d))
		}
	case *topology.XGFT:
		row.Level = int16(t.Level(router))
	case grouped:
		row.Group = int32(router / t.GroupSize())
	case *topology.SlimFly:
		row.Group = int32(router / (2 * t.Q()))
	case *topology.Hierarchy:
		block, inner := t.Place(router)
		if block < 0 {
			place(row, t.Outer(), inner)
		} else {
			place(row, t.Block(), inner)
		}
		row.Group = int32(block)
	}
}

// routerRows yields a row for each router; port tells what went out of a port.
func (m networkMap) routerRows(port func(int) fabric.PortUse) iter.Seq[record.Router] {
	return func(yield func(record.Router) bool) {
		t, g := m.plan.topology, m.plan.fabric.Graph
		x, y := picture.Places(t)
		for r := range g.Routers {
			row := record.Router{
				Router: int32(r), Name: t.RouterName(r), Level: -1, Group: -1,
				C0: -1, C1: -1, C2: -1, C3: -1, C4: -1, C5: -1, X: x[r], Y: y[r],
			}
			place(&row, t, r)
			row.Z = float32(max(0, row.C2))
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
		g := m.plan.fabric.Graph
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

// dimensionAndLevel are those of a link that leaves a router by a port; -1 if it has none.
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
	case *topology.XGFT:
		level := t.Level(router)
		if port >= t.Ups(level) {
			level--
		}
		return -1, int8(level)
	}
	return -1, -1
}
