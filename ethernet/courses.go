package ethernet

import (
	"cmp"
	"slices"
)

// Following selects flows whose windows and rates are recorded over time. Of each NIC only some are
// followed at a time: those to which most has been posted. A flow that takes the place of another is
// followed from then on.
type Following struct {
	Most     int                   // number of flows that Followed returns
	From, To func(host int32) bool // whether flows from, or to, a host may be followed; nil: all
	Interval int64                 // of the first bins (ps); it doubles when there are mostSamples
}

// Samples of a flow, and of all flows that are followed at a time, at most. A NIC follows at least two.
const (
	mostSamples = 256
	mostCourses = 1024
)

// Sample is what a flow has done in an interval of time, and how it was at the end of it. There is
// none of intervals in which nothing happened, or only timers of a flow with nothing to send: some rates
// recover for long after the last message.
type Sample struct {
	Bin           int64
	Window        int64   // bytes on the wire that might be under way; math.MaxInt64: any number
	Rate          float64 // bytes/s at which packets might leave; 0: that of the link
	Flying        int64   // bytes on the wire believed under way
	Sent          int64   // bytes on the wire of packets with payload
	Again, Marked uint32  // packets sent again, and marks of which the sender has learnt
	Timeouts      uint32
}

// Course is what a flow has done over time.
type Course struct {
	Src, Dst int32  // NICs
	Number   uint32 // among the flows of its NIC
	Class    uint8
	Posted   int64 // payload (bytes)
	Begin    int64 // when its first message was posted (ps)
	End      int64 // when all that was posted had been acknowledged; -1: never (ps)
	// SampledFrom is when it began to be followed (ps).
	SampledFrom int64
	Interval    int64 // of samples (ps)
	Samples     []Sample
}

// course is what is recorded of a flow.
type course struct {
	from     int64
	interval int64
	samples  []Sample
}

// Follow makes flows be followed. It must be called before the first window.
func (n *Network) Follow(f Following) {
	sources := 0
	for nic := range n.nics {
		if f.follows(f.From, int32(nic)/int32(n.Graph.NICsPerHost)) {
			sources++
		}
	}
	n.following, n.followed = &f, min(f.Most, max(2, mostCourses/max(1, sources)))
}

func (f *Following) follows(which func(host int32) bool, host int32) bool {
	return which == nil || which(host)
}

// posts counts what has been posted to a flow, and follows it if that is much.
func (b *Block) posts(f *sender, size int64) {
	f.posted += size
	rule := b.net.following
	if rule == nil || f.course != nil {
		return
	}
	nics := int32(b.net.Graph.NICsPerHost)
	if !rule.follows(rule.From, f.nic/nics) || !rule.follows(rule.To, f.dst/nics) {
		return
	}
	n := &b.net.nics[f.nic]
	if len(n.followed) < b.net.followed {
		n.followed = append(n.followed, f.index)
	} else {
		least := slices.MinFunc(n.followed, func(x, y uint32) int {
			return compareFlows(b.senders[y], b.senders[x])
		})
		if compareFlows(f, b.senders[least]) >= 0 {
			return
		}
		b.senders[least].course = nil
		n.followed[slices.Index(n.followed, least)] = f.index
	}
	f.course = &course{from: b.now, interval: rule.Interval}
}

// compareFlows orders flows: those to which most was posted first, then by NIC and number.
func compareFlows(f, g *sender) int {
	return cmp.Or(cmp.Compare(g.posted, f.posted), cmp.Compare(f.nic, g.nic), cmp.Compare(f.number, g.number))
}

// sample brings what is recorded of a flow up to date, and returns the sample of the current interval; nil
// if the flow is not followed.
func (b *Block) sample(f *sender) *Sample {
	c := f.course
	if c == nil {
		return nil
	}
	for b.now/c.interval >= mostSamples {
		c.coarsen()
	}
	if bin, n := b.now/c.interval, len(c.samples); n == 0 || c.samples[n-1].Bin != bin {
		c.samples = append(c.samples, Sample{Bin: bin})
	}
	s := &c.samples[len(c.samples)-1]
	s.Window, s.Rate, s.Flying = f.limits.Window, f.limits.Rate, f.flying
	return s
}

// coarsen doubles the interval of samples.
func (c *course) coarsen() {
	c.interval *= 2
	kept := c.samples[:0]
	for _, s := range c.samples {
		s.Bin /= 2
		if n := len(kept); n > 0 && kept[n-1].Bin == s.Bin {
			before := &kept[n-1]
			s.Sent += before.Sent
			s.Again += before.Again
			s.Marked += before.Marked
			s.Timeouts += before.Timeouts
			*before = s
			continue
		}
		kept = append(kept, s)
	}
	c.samples = kept
}

// Followed returns the flows to which most was posted, of those that are followed, with samples of one
// interval until a time (ps). It must not be called while blocks run.
func (n *Network) Followed(until int64) (list []Course) {
	if n.following == nil {
		return nil
	}
	var flows []*sender
	for _, b := range n.blocks {
		for _, f := range b.senders {
			if f.course != nil {
				flows = append(flows, f)
			}
		}
	}
	slices.SortFunc(flows, compareFlows)
	interval := n.following.Interval
	flows = flows[:min(len(flows), n.following.Most)]
	for _, f := range flows {
		for interval < f.course.interval || until/interval >= mostSamples {
			interval *= 2
		}
	}
	for _, f := range flows {
		c := course{f.course.from, f.course.interval, slices.Clone(f.course.samples)}
		for c.interval < interval {
			c.coarsen()
		}
		end := f.ended
		if f.jobs.count > 0 {
			end = -1
		}
		list = append(list, Course{
			f.nic, f.dst, f.number, f.class, f.posted, f.began, end, c.from, interval, c.samples,
		})
	}
	return list
}
