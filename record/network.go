package record

// NetworkFile describes the network of a result; NetworkSchema is its schema.
const (
	NetworkFile   = "network.json"
	NetworkSchema = "fabricast.network/1"
)

// Values of Network.Layout: how the network is best drawn.
const (
	LayoutTorus     = "torus"
	LayoutMesh      = "mesh"
	LayoutTree      = "tree"
	LayoutDragonfly = "dragonfly" // groups, all joined
	LayoutHierarchy = "hierarchy" // blocks in another network
	LayoutGraph     = "graph"     // no known shape
)

// Network is the content of network.json: the network of a run.
type Network struct {
	Schema     string   `json:"schema,omitempty"`
	Kind       string   `json:"kind"`
	File       string   `json:"file,omitempty"` // name of the file that describes it
	Layout     string   `json:"layout"`
	Dims       []int    `json:"dims,omitempty"`            // routers in each dimension
	Wrap       []bool   `json:"wrap,omitempty"`            // of a torus: which dimensions are rings
	Dimensions []string `json:"dimension_names,omitempty"` // of Dims
	// of trees, from the leaves up: entry 0 is of links to hosts
	Levels []string `json:"level_names,omitempty"`
	// of trees: of a switch of each level, from level 1
	Children  []int    `json:"children,omitempty"`
	Parents   []int    `json:"parents,omitempty"`
	Groups    int      `json:"groups,omitempty"`
	GroupSize int      `json:"group_routers,omitempty"`
	Routers   int      `json:"routers"`
	Hosts     int      `json:"hosts"`
	NICs      int      `json:"nics"`
	Links     int      `json:"links"` // rows of links.parquet
	Classes   []string `json:"link_classes,omitempty"`
	VCs       int      `json:"vcs,omitempty"`
	Buffer    int64    `json:"buffer_bytes,omitempty"` // of a virtual channel at an input
	Block     *Network `json:"block,omitempty"`        // of a hierarchy
	Outer     *Network `json:"outer,omitempty"`
}

// Coordinates is the number of coordinates in a row of routers.parquet.
const Coordinates = 7

// Router is a row of routers.parquet: a router's position, and what it passed on.
type Router struct {
	Router int32  `parquet:"router" holds:"row"`
	Name   string `parquet:"name"`
	// of a tree, from 1 at the leaves; -1 if there are none
	Level int16 `parquet:"level" holds:"number or none"`
	// of a dragonfly, block of a hierarchy; -1 if in none
	Group int32 `parquet:"group" holds:"router or none"`
	// coordinates, of a hierarchy those of the block and then within it; -1 if there are fewer
	C0 int16 `parquet:"c0" holds:"coordinate or none"`
	C1 int16 `parquet:"c1" holds:"coordinate or none"`
	C2 int16 `parquet:"c2" holds:"coordinate or none"`
	C3 int16 `parquet:"c3" holds:"coordinate or none"`
	C4 int16 `parquet:"c4" holds:"coordinate or none"`
	C5 int16 `parquet:"c5" holds:"coordinate or none"`
	C6 int16 `parquet:"c6" holds:"coordinate or none"`
	// where to draw it, neighbours about 1 apart, y downward
	DrawX   float32 `parquet:"draw_x" holds:"any"`
	DrawY   float32 `parquet:"draw_y" holds:"any"`
	DrawZ   float32 `parquet:"draw_z" holds:"any"`
	Packets int64   `parquet:"packets"` // passed on, to other routers and to hosts
	Bytes   int64   `parquet:"wire_bytes"`
	Hosts   int32   `parquet:"hosts"`
}

// NIC is a row of nics.parquet: what a NIC sent and received over the whole run.
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
