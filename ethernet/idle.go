package ethernet

// Idle computes how long messages take in an idle network in which no window or rate limits them.
type Idle struct{ layout }

// NewIdle returns the network of a Spec. It returns an error if New would.
func NewIdle(spec Spec) (*Idle, error) {
	n, err := New(spec, 1)
	if err != nil {
		return nil, err
	}
	return &Idle{n.layout}, nil
}

// Idle returns the same network without traffic.
func (n *Network) Idle() *Idle { return &Idle{n.layout} }

// Time returns how long (ps) a message of `size` bytes takes from one NIC to another, until its last
// packet has arrived, and the number of links between switches on its way. All packets take one of the
// shortest ways. Each link sends one after the other, and switches pass on whole packets only.
func (i *Idle) Time(src, dst int32, size int64) (ps int64, links int) {
	way := i.way(src, dst)
	count := i.Packet.Count(size)
	full := i.Packet.MTU
	last := i.Packet.Header + size - (count-1)*i.Packet.Payload()
	if count == 1 {
		full = last
	}
	var first, lastAt int64 // when the first and the last packet have left the link
	slowest := int64(0)     // time of a full packet on the slowest link so far (ps)
	for at, link := range way {
		delay := int64(0)
		if at > 0 {
			delay = int64(i.Links[way[at-1]].Latency) + i.Switch.Latency
		}
		rate := i.bandwidth(link)
		first += delay + takes(full, rate)
		slowest = max(slowest, takes(full, rate))
		if count == 1 {
			lastAt = first
			continue
		}
		lastAt = max(lastAt+delay, first+(count-2)*slowest) + takes(last, rate)
	}
	return lastAt + int64(i.Links[way[len(way)-1]].Latency), len(way) - 2
}
