package ethernet

// ClassCounts are sums over the packets with payload of a class, as in Counts. As JSON they are part
// of results (docs/formats/result.md).
type ClassCounts struct {
	Packets uint64 `json:"sent"` // by NICs, those sent again included
	Marked  uint64 `json:"marked"`
	Trimmed uint64 `json:"trimmed"`
	Dropped uint64 `json:"dropped"`
	Pauses  uint64 `json:"pauses"`
	Paused  int64  `json:"paused_ps"`
}

func (c *ClassCounts) add(d *ClassCounts) {
	c.Packets += d.Packets
	c.Marked += d.Marked
	c.Trimmed += d.Trimmed
	c.Dropped += d.Dropped
	c.Pauses += d.Pauses
	c.Paused += d.Paused
}

// ByClass returns the sums so far of each class of the Spec; nil if it has none. It must not be called
// while blocks run.
func (n *Network) ByClass() []ClassCounts {
	if n.Switch.Classes == nil {
		return nil
	}
	return n.sumsByClass()
}

// sumsByClass returns the sums so far of each class.
func (n *Network) sumsByClass() []ClassCounts {
	sums := make([]ClassCounts, len(n.classes))
	for _, b := range n.blocks {
		for i := range sums {
			sums[i].add(&b.byClass[i])
		}
	}
	return sums
}
