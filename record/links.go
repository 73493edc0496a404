package record

// Values of Link.Kind: the two ends of a link.
const (
	Between   = "router"    // from a router to a router
	Injection = "injection" // from a NIC to its router
	Ejection  = "ejection"  // from a router to a NIC
)

// Link is a row of links.parquet: one direction of a link, with its traffic over the whole run.
type Link struct {
	Link  int32  `parquet:"link" holds:"row"` // index of the row
	Kind  string `parquet:"kind,dict" holds:"of router injection ejection"`
	Class string `parquet:"class,dict"`
	// in a torus, mesh or HyperX, the dimension from 0; -1 if it has none
	Dimension int8 `parquet:"dimension" holds:"dimension or none"`
	// in a tree, the level of the lower end of the link, 0 for hosts; -1 if it has none
	Level int8 `parquet:"level" holds:"level or none"`
	// router at the start of the link; for injection links, the router at its end
	Router     int32  `parquet:"router" holds:"router"`
	Port       int32  `parquet:"port" holds:"link"` // index of the port in Router, from 0
	RouterName string `parquet:"router_name,dict"`  // coordinates of Router
	PortName   string `parquet:"port_name,dict"`
	ToRouter   int32  `parquet:"to_router" holds:"router or none"` // router at the end; -1 for ejection
	// NIC at one end of the link; -1 if both ends are routers
	NIC         int32   `parquet:"nic" holds:"nic or none"`
	Packets     int64   `parquet:"packets"`
	Bytes       int64   `parquet:"wire_bytes"`
	Latency     int64   `parquet:"latency_ps"`
	Capacity    int64   `parquet:"bandwidth_bytes_per_s"`
	Bandwidth   float64 `parquet:"mean_bandwidth_bytes_per_s"`
	Utilization float64 `parquet:"utilization_fraction"` // share of the link's bandwidth
	Busy        float64 `parquet:"busy_fraction"`        // share of the time in which packets occupy the link
}

// Where returns a name for the link: the router and port at which it starts, or the NIC and the
// router that it connects.
func (l *Link) Where() string {
	switch l.Kind {
	case Injection:
		return l.PortName + " to " + l.RouterName
	case Ejection:
		return l.RouterName + " to " + l.PortName
	}
	return l.RouterName + " " + l.PortName
}
