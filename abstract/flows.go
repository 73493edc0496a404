package abstract

// flow is a link and the two hosts whose messages over it are considered, as if it were theirs alone.
type flow struct{ src, dst, link int32 }

// flows knows when the narrowest links of flows are free again, of those that are busy.
type flows struct {
	free map[flow]int64 // ps, in terms of when a message starts at its NIC
	most int            // entries at which those of the past are swept out
}

const fewFlows = 1024

// enter returns when a message passes a link that it could enter at the time start (ps). The link is
// busy with it for so long. Nobody will ask for a time before now any more.
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

// sweep drops the links that are free by now. It is called so seldom that it costs a constant time
// for each message.
func (f *flows) sweep(now int64) {
	for of, free := range f.free {
		if free <= now {
			delete(f.free, of)
		}
	}
	f.most = max(fewFlows, 2*len(f.free))
}
