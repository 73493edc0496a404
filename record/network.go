package record

// NetworkFile is the file that describes the network of a result; NetworkSchema is its schema.
const (
	NetworkFile   = "network.json"
	NetworkSchema = "fabricast.network/1"
)

// Values of Network.Layout: how to draw the network.
const (
	LayoutTorus     = "torus"
	LayoutMesh      = "mesh"
	LayoutTree      = "tree"
	LayoutDragonfly = "dragonfly" // groups, fully connected
	LayoutHierarchy = "hierarchy" // copies of an inner network (hierarchy blocks), connected by an outer network
	LayoutGraph     = "graph"     // no regular structure
)

// Network is the content of network.json: a description of the network of a run.
type Network struct {
	Schema     string   `json:"schema,omitempty"`
	Kind       string   `json:"kind"`
	File       string   `json:"file,omitempty"` // name of the file that defines the network
	Layout     string   `json:"layout"`
	Dims       []int    `json:"dims,omitempty"`            // number of routers in each dimension
	Wrap       []bool   `json:"wrap,omitempty"`            // in a torus, by dimension: it is a ring
	Dimensions []string `json:"dimension_names,omitempty"` // names of the dimensions in Dims
	// names of the levels of links in a tree, from the links to hosts upwards
	Levels []string `json:"level_names,omitempty"`
	// in a tree: number of links down and up of a switch, by level from 1
	Children  []int    `json:"children,omitempty"`
	Parents   []int    `json:"parents,omitempty"`
	Groups    int      `json:"groups,omitempty"`
	GroupSize int      `json:"group_routers,omitempty"`
	Routers   int      `json:"routers"`
	Hosts     int      `json:"hosts"`
	NICs      int      `json:"nics"`
	Links     int      `json:"links"` // number of rows in links.parquet
	Classes   []string `json:"link_classes,omitempty"`
	VCs       int      `json:"vcs,omitempty"`
	Buffer    int64    `json:"buffer_bytes,omitempty"` // buffer size of an input VC
	Block     *Network `json:"block,omitempty"`        // in a hierarchy: the inner network
	Outer     *Network `json:"outer,omitempty"`
}

// Coordinates is the number of coordinate columns in routers.parquet.
const Coordinates = 7

// Router is a row of routers.parquet: the position of a router and the traffic that it forwarded.
type Router struct {
	Router int32  `parquet:"router" holds:"row"`
	Name   string `parquet:"name"`
	// level in a tree, from 1 for leaf switches; -1 if there are no levels
	Level int16 `parquet:"level" holds:"number or none"`
	// dragonfly group, or hierarchy block; -1 if there are none
	Group int32 `parquet:"group" holds:"router or none"`
	// coordinates; in a hierarchy, first those of the hierarchy block, then those of the router
	// within the block; -1 for unused coordinates
	C0 int16 `parquet:"c0" holds:"coordinate or none"`
	C1 int16 `parquet:"c1" holds:"coordinate or none"`
	C2 int16 `parquet:"c2" holds:"coordinate or none"`
	C3 int16 `parquet:"c3" holds:"coordinate or none"`
	C4 int16 `parquet:"c4" holds:"coordinate or none"`
	C5 int16 `parquet:"c5" holds:"coordinate or none"`
	C6 int16 `parquet:"c6" holds:"coordinate or none"`
	// position at which to draw the router; neighbours are about 1 apart, y points down
	DrawX   float32 `parquet:"draw_x" holds:"any"`
	DrawY   float32 `parquet:"draw_y" holds:"any"`
	DrawZ   float32 `parquet:"draw_z" holds:"any"`
	Packets int64   `parquet:"packets"` // forwarded to other routers and to hosts
	Bytes   int64   `parquet:"wire_bytes"`
	Hosts   int32   `parquet:"hosts"`
}

// NIC is a row of nics.parquet: the traffic of a NIC over the whole run.
type NIC struct {
	NIC              int32   `parquet:"nic" holds:"row"`
	Host             int32   `parquet:"host" holds:"nic"`
	Router           int32   `parquet:"router" holds:"router"`
	InjectedPackets  int64   `parquet:"injected_packets"`
	InjectedBytes    int64   `parquet:"injected_wire_bytes"`
	DeliveredPackets int64   `parquet:"delivered_packets"`
	DeliveredBytes   int64   `parquet:"delivered_wire_bytes"`
	InjectionBusy    float64 `parquet:"injection_busy_fraction"`
	DeliveryBusy     float64 `parquet:"delivery_busy_fraction"`
}
