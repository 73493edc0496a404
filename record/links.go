package record

// Values of Link.Kind: what a link connects.
const (
	Between   = "router"    // a router to a router
	Injection = "injection" // a NIC to its router
	Ejection  = "ejection"  // a router to a NIC
)

// Link is a row of links.parquet: one direction of a link, over the whole run.
type Link struct {
	Link  int32  `parquet:"link" holds:"row"` // number of the row
	Kind  string `parquet:"kind,dict" holds:"of router injection ejection"`
	Class string `parquet:"class,dict"`
	// of a torus, mesh or hyperx, from 0; -1 if it has none
	Dimension int8 `parquet:"dimension" holds:"dimension or none"`
	// of a tree: of the lower end, 0 for hosts; -1 if it has none
	Level int8 `parquet:"level" holds:"level or none"`
	// router that the link leaves; for injection, the router it enters
	Router     int32  `parquet:"router" holds:"router"`
	Port       int32  `parquet:"port" holds:"link"` // of that router, from 0
	RouterName string `parquet:"router_name,dict"`  // its coordinates
	PortName   string `parquet:"port_name,dict"`
	ToRouter   int32  `parquet:"to_router" holds:"router or none"` // -1 if it leads to a NIC
	// global number of the NIC at one end, -1 if there is none
	NIC         int32   `parquet:"nic" holds:"nic or none"`
	Packets     int64   `parquet:"packets"`
	Bytes       int64   `parquet:"wire_bytes"`
	Latency     int64   `parquet:"latency_ps"`
	Capacity    int64   `parquet:"bandwidth_bytes_per_s"`
	Bandwidth   float64 `parquet:"mean_bandwidth_bytes_per_s"`
	Utilization float64 `parquet:"utilization_fraction"` // of the link's bandwidth
	Busy        float64 `parquet:"busy_fraction"`        // of the time, taken by packets
}

// Where returns the name of the router and port, or of the NIC, where the link begins.
func (l *Link) Where() string {
	switch l.Kind {
	case Injection:
		return l.PortName + " to " + l.RouterName
	case Ejection:
		return l.RouterName + " to " + l.PortName
	}
	return l.RouterName + " " + l.PortName
}
