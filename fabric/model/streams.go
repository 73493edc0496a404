package model

// StreamCounts says how much of a run streams have taken. A stream is a number of packets of a message
// that follow one another at a constant interval and are simulated together. A message that passes
// three routers as a stream counts as four: at its NIC and at each router.
type StreamCounts struct {
	Streams     uint64 `json:"streams"`
	Packets     uint64 `json:"packets"`     // packets in streams
	Interrupted uint64 `json:"interrupted"` // streams that another packet has ended, by requesting the same port
	Starved     uint64 `json:"starved"`     // streams that have ended for lack of credit
	Crossed     uint64 `json:"crossed"`     // streams that have gone on at a router of another worker or process
}

// Add adds other counts.
func (c *StreamCounts) Add(d StreamCounts) {
	c.Streams += d.Streams
	c.Packets += d.Packets
	c.Interrupted += d.Interrupted
	c.Starved += d.Starved
	c.Crossed += d.Crossed
}
