package histogram

// Latencies holds distributions of latency (ps) by class of message. An entry is nil if there are
// no messages of the class.
type Latencies struct {
	BySize     []*Histogram // by the number of bits of the message's size in bytes
	ByDistance []*Histogram // by the number of links between the routers of the hosts
	ByClass    []*Histogram // by the class of the message; nil if messages have none
}

// Record counts a message with a latency in ps. bits is the number of bits of its size in bytes.
// links is the distance of its hosts, negative if unknown.
func (l *Latencies) Record(bits, links int, latency int64) {
	of(&l.BySize, bits).Record(latency)
	if links >= 0 {
		of(&l.ByDistance, links).Record(latency)
	}
}

// Add adds the counts of other distributions.
func (l *Latencies) Add(o *Latencies) {
	for bits, h := range o.BySize {
		if h != nil {
			AddTo(&l.BySize, bits, h)
		}
	}
	for links, h := range o.ByDistance {
		if h != nil {
			AddTo(&l.ByDistance, links, h)
		}
	}
	for class, h := range o.ByClass {
		if h != nil {
			AddTo(&l.ByClass, class, h)
		}
	}
}

// AddTo adds h to entry i of a list, which grows as needed.
func AddTo(list *[]*Histogram, i int, h *Histogram) { of(list, i).Add(h) }

// of returns entry i of a list, and creates it if necessary.
func of(list *[]*Histogram, i int) *Histogram {
	for i >= len(*list) {
		*list = append(*list, nil)
	}
	if (*list)[i] == nil {
		(*list)[i] = &Histogram{}
	}
	return (*list)[i]
}
