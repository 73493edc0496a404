package record

// Kinds of links, by what they join.
const (
	Between   = "router"    // a router to a router
	Injection = "injection" // a NIC to its router
	Ejection  = "ejection"  // a router to a NIC
)

// Link is a row of links.parquet: one direction of a link over the whole run.
type Link struct {
	Link       int32   `parquet:"link"` // number of the row
	Kind       string  `parquet:"kind,dict"`
	Class      string  `parquet:"class,dict"`
	Dimension  int8    `parquet:"dimension"`        // of a torus, mesh or hyperx, from 0; -1 if it has none
	Level      int8    `parquet:"level"`            // of a tree: of the lower end, 0 for hosts; -1 if it has none
	Router     int32   `parquet:"router"`           // that it leaves, or enters by injection
	Port       int32   `parquet:"port"`             // of that router, from 0
	RouterName string  `parquet:"router_name,dict"` // its coordinates
	PortName   string  `parquet:"port_name,dict"`
	ToRouter   int32   `parquet:"to_router"` // -1 if it leads to a NIC
	NIC        int32   `parquet:"nic"`       // global number of the NIC at one end, -1 if there is none
	Packets    int64   `parquet:"packets"`
	Bytes      int64   `parquet:"wire_bytes"`
	Latency    int64   `parquet:"latency_ps"`
	Capacity   int64   `parquet:"bandwidth_bytes_per_s"`
	Bandwidth  float64 `parquet:"mean_bandwidth_bytes_per_s"`
	Efficiency float64 `parquet:"efficiency_fraction"` // of the link's bandwidth
	Busy       float64 `parquet:"busy_fraction"`       // of the time, taken by packets
}

// Where tells where the link begins.
func (l *Link) Where() string {
	if l.Kind == Injection {
		return l.PortName + " of " + l.RouterName
	}
	return l.RouterName + " " + l.PortName
}
