package abstract

// flow identifies a link and a pair of hosts whose messages use it. The model treats the link as if
// no other hosts used it.
type flow struct{ src, dst, link int32 }

// flows records when the narrowest links of busy flows become free again.
type flows struct {
	free map[flow]int64 // as the start time at the NIC of the next message (ps)
	most int            // number of entries at which free links are removed
}

const fewFlows = 1024

// enter returns the start time of a message that could start at the time start (ps), given that its
// link may be busy. The link is then busy with the message for `busy` ps. Later calls must not have
// an earlier `now`.
func (f *flows) enter(of flow, now, start, busy int64) int64 {
	if f.free == nil {
		f.free, f.most = make(map[flow]int64), fewFlows
	}
	start = max(start, f.free[of])
	if len(f.free) >= f.most {
		f.sweep(now)
	}
	f.free[of] = start + busy
	return start
}

// sweep removes the links that are free by now. It is called so rarely that its cost per message is
// constant.
func (f *flows) sweep(now int64) {
	for of, free := range f.free {
		if free <= now {
			delete(f.free, of)
		}
	}
	f.most = max(fewFlows, 2*len(f.free))
}
