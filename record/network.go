package record

// NetworkFile describes the network of a result; NetworkSchema is its schema.
const (
	NetworkFile   = "network.json"
	NetworkSchema = "fabricast.network/1"
)

// Layouts of networks: how each is best drawn.
const (
	LayoutTorus     = "torus"
	LayoutMesh      = "mesh"
	LayoutTree      = "tree"
	LayoutDragonfly = "dragonfly" // groups, all joined
	LayoutHierarchy = "hierarchy" // blocks in another network
	LayoutGraph     = "graph"     // no known shape
)

// Network is network.json: what the network of a run was.
type Network struct {
	Schema     string   `json:"schema,omitempty"`
	Kind       string   `json:"kind"`
	File       string   `json:"file,omitempty"` // that describes it: its name
	Layout     string   `json:"layout"`
	Dims       []int    `json:"dims,omitempty"`            // routers in each dimension
	Wrap       []bool   `json:"wrap,omitempty"`            // of a torus: which dimensions are rings
	Dimensions []string `json:"dimension_names,omitempty"` // of Dims
	Levels     []string `json:"level_names,omitempty"`     // of trees, from the leaves up: entry 0 is of links to hosts
	Children   []int    `json:"children,omitempty"`        // of trees: of a switch of each level, from level 1
	Parents    []int    `json:"parents,omitempty"`
	Groups     int      `json:"groups,omitempty"`
	GroupSize  int      `json:"group_routers,omitempty"`
	Routers    int      `json:"routers"`
	Hosts      int      `json:"hosts"`
	NICs       int      `json:"nics"`
	Links      int      `json:"links"` // rows of links.parquet
	Classes    []string `json:"link_classes,omitempty"`
	VCs        int      `json:"vcs,omitempty"`
	Buffer     int64    `json:"buffer_bytes,omitempty"` // of a virtual channel at an input
	Block      *Network `json:"block,omitempty"`        // of a hierarchy
	Outer      *Network `json:"outer,omitempty"`
}

// Coordinates is how many a row of routers.parquet has.
const Coordinates = 6

// Router is a row of routers.parquet.
type Router struct {
	Router  int32   `parquet:"router"`
	Name    string  `parquet:"name"`
	Level   int16   `parquet:"level"` // of a tree, from 1 at the leaves; -1 if there are none
	Group   int32   `parquet:"group"` // of a dragonfly, block of a hierarchy; -1 if in none
	C0      int16   `parquet:"c0"`    // coordinates, -1 if there are fewer
	C1      int16   `parquet:"c1"`
	C2      int16   `parquet:"c2"`
	C3      int16   `parquet:"c3"`
	C4      int16   `parquet:"c4"`
	C5      int16   `parquet:"c5"`
	X       float32 `parquet:"x"` // where to draw it, neighbours about 1 apart, y downward
	Y       float32 `parquet:"y"`
	Z       float32 `parquet:"z"`
	Packets int64   `parquet:"packets"` // passed on, to other routers and to hosts
	Bytes   int64   `parquet:"wire_bytes"`
	Hosts   int32   `parquet:"hosts"`
}

// NIC is a row of nics.parquet.
type NIC struct {
	NIC              int32   `parquet:"nic"`
	Host             int32   `parquet:"host"`
	Router           int32   `parquet:"router"`
	InjectedPackets  int64   `parquet:"injected_packets"`
	InjectedBytes    int64   `parquet:"injected_wire_bytes"`
	DeliveredPackets int64   `parquet:"delivered_packets"`
	DeliveredBytes   int64   `parquet:"delivered_wire_bytes"`
	InjectionBusy    float64 `parquet:"injection_busy_fraction"`
	DeliveryBusy     float64 `parquet:"delivery_busy_fraction"`
}
