package meter

import (
	"encoding/json"
	"errors"
	"iter"
	"path/filepath"
	"slices"

	"fabricast/internal/picture"
	"fabricast/internal/plan"
	"fabricast/record"
	"fabricast/topology"
)

// Write writes the description of the network, and the tables with the traffic of links, routers
// and NICs, into a result folder.
func (m Links) Write(f *record.Folder, about map[string]string) error {
	return errors.Join(
		m.writeNetwork(f),
		record.WriteTable(f, record.LinksTable, m.Rows(), about),
		record.WriteTable(f, record.RoutersTable, m.routerRows(), about),
		record.WriteTable(f, record.NICsTable, m.nicRows(), about),
	)
}

// writeNetwork writes network.json, the description of the network.
func (m Links) writeNetwork(f *record.Folder) error {
	n := describeNetwork(m.Plan.Topology)
	g, about := m.Plan.Fabric.Graph, &m.Plan.Experiment.Network
	n.Schema = record.NetworkSchema
	if kind := about.Kind(); kind != "" { // otherwise the topology was defined in Go
		n.Kind = kind
	}
	if file := about.TopologyFile(); file != "" {
		n.File = filepath.Base(file)
	}
	n.Links = Count(g)
	n.Classes = m.Plan.Classes
	n.VCs, n.Buffer = m.Plan.Fabric.Router.VCs, int64(m.Plan.Fabric.Router.Buffer)
	text, err := json.MarshalIndent(n, "", "  ")
	return errors.Join(err, f.Write(record.NetworkFile, append(text, '\n')))
}

// Count counts all links of a network, including those of NICs. Each direction counts.
func Count(g *topology.Graph) int { return plan.RouterLinks(g) + 2*len(g.NICPort) }

func describeNetwork(t topology.Topology) *record.Network {
	g := t.Graph()
	n := &record.Network{
		Kind:    t.Kind(),
		Layout:  record.LayoutGraph,
		Routers: g.Routers,
		Hosts:   g.Hosts,
		NICs:    len(g.NICPort),
	}
	if shaped, ok := t.(topology.Shaped); ok {
		describeShape(n, t, shaped.Shape())
	}
	if n.Dims != nil {
		for _, d := range topology.Dimensions(t) {
			n.Dimensions = append(n.Dimensions, d.Name)
		}
	}
	return n
}

// describeShape sets the layout and the sizes of a network.
func describeShape(n *record.Network, t topology.Topology, shape topology.Shape) {
	switch shape := shape.(type) {
	case topology.Grid:
		n.Layout, n.Dims, n.Wrap = record.LayoutMesh, shape.Dims, shape.Wrap
		if slices.Contains(shape.Wrap, true) {
			n.Layout = record.LayoutTorus
		}
	case topology.Stack:
		n.Layout, n.Levels = record.LayoutTree, t.LinkClasses()
		for l := 1; l <= shape.Levels(); l++ {
			n.Children = append(n.Children, shape.Children(l))
			n.Parents = append(n.Parents, shape.Parents(l))
		}
	case topology.GroupRing:
		n.Layout, n.Groups, n.GroupSize = record.LayoutDragonfly, shape.Groups, shape.Size
	case topology.Nest:
		n.Layout = record.LayoutHierarchy
		n.Block, n.Outer = describeNetwork(shape.Block()), describeNetwork(shape.Outer())
		for _, d := range topology.Dimensions(t) {
			n.Dims = append(n.Dims, d.Size)
		}
	}
}

// place sets the position of a router in its topology: coordinates, level or group.
func place(row *record.Router, t topology.Topology, router int) {
	for d, c := range topology.Coordinates(t, router, nil) {
		if d < record.Coordinates {
			*[]*int16{&row.C0, &row.C1, &row.C2, &row.C3, &row.C4, &row.C5, &row.C6}[d] = int16(c)
		}
	}
	if leveled, ok := t.(topology.Leveled); ok {
		row.Level = int16(leveled.Level(router))
	}
	if grouped, ok := t.(topology.Grouped); ok {
		row.Group = int32(grouped.Group(router))
	} else if shaped, ok := t.(topology.Shaped); ok {
		if ring, ok := shaped.Shape().(topology.GroupRing); ok {
			row.Group = int32(router / ring.Size)
		}
	}
}

// routerRows yields a row for each router.
func (m Links) routerRows() iter.Seq[record.Router] {
	return func(yield func(record.Router) bool) {
		t, g := m.Plan.Topology, m.Plan.Fabric.Graph
		x, y := picture.Places(t)
		for r := range g.Routers {
			row := record.Router{
				Router: int32(r), Name: t.RouterName(r), Level: -1, Group: -1,
				C0: -1, C1: -1, C2: -1, C3: -1, C4: -1, C5: -1, C6: -1, DrawX: x[r], DrawY: y[r],
			}
			place(&row, t, r)
			row.DrawZ = float32(max(0, row.C2))
			for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
				use := m.Port(int(p))
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
func (m Links) nicRows() iter.Seq[record.NIC] {
	return func(yield func(record.NIC) bool) {
		g := m.Plan.Fabric.Graph
		for nic, port := range g.NICPort {
			in, out := m.injection(nic), m.Output(int(port))
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

// dimensionAndLevel returns the dimension and the level of the link at a router's port; -1 if the
// link has none.
func dimensionAndLevel(t topology.Topology, router, port int) (dimension, level int8) {
	level = -1
	if tree, ok := t.(topology.Tree); ok {
		level = int8(tree.LinkLevel(router, port))
	}
	return int8(topology.LinkDimension(t, router, port)), level
}
