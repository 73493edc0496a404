package control

// dcqcnPaper is DCQCN as Zhu et al. describe it (Congestion control for large-scale RDMA
// deployments, SIGCOMM 2015, section 3 and algorithm 1). Each notification lowers the rate. A timer
// and a counter of bytes raise it: in fast recovery, until one of the two has done so `recovery`
// times; then additively; after both have done so more often, by steps that grow (hyper increase).
type dcqcnPaper struct{ dcqcn }

// Start implements Algorithm.
func (d dcqcnPaper) Start(s []uint64, p *Path) { d.start(s, p) }

// Notified implements Algorithm.
func (d dcqcnPaper) Notified(s []uint64, p *Path, n *Now) {
	f := d.of(s)
	d.fade(f, n.At)
	f.Target = f.Rate
	d.lower(f, p)
	f.Alpha = blend(d.g, 1, f.Alpha)
	f.Stage, f.Counted, f.Bytes = 0, 0, 0
	f.AlphaAt = n.At + int64(d.AlphaTimer)
	f.RaiseAt = n.At + int64(d.IncreaseTimer)
}

// fade lowers alpha for each of its timers that has expired. Nothing else depends on alpha than the
// next decrease, so this need not happen in time.
func (d *dcqcnPaper) fade(f *dcqcnState, now int64) {
	for ; f.AlphaAt != 0 && f.AlphaAt <= now && f.Alpha > 0; f.AlphaAt += int64(d.AlphaTimer) {
		f.Alpha *= 1 - d.g
	}
}

// Sent implements Algorithm.
func (d dcqcnPaper) Sent(s []uint64, p *Path, _ *Now, bytes int64) {
	f := d.of(s)
	if f.RaiseAt == 0 {
		return // at the rate of the link
	}
	if f.Bytes += bytes; f.Bytes >= int64(d.ByteCounter) {
		f.Bytes = 0
		f.Counted++
		d.raise(f, p)
	}
}

// Due implements Algorithm.
func (d dcqcnPaper) Due(s []uint64) int64 { return or(d.of(s).RaiseAt, Forever) }

// Timer implements Algorithm.
func (d dcqcnPaper) Timer(s []uint64, p *Path, n *Now) {
	f := d.of(s)
	f.RaiseAt = n.At + int64(d.IncreaseTimer)
	f.Stage++
	d.raise(f, p)
}

// raise increases the rate after the timer or the counter of bytes.
func (d *dcqcnPaper) raise(f *dcqcnState, p *Path) {
	recovery := int64(d.Recovery)
	switch {
	case max(f.Stage, f.Counted) < recovery:
	case min(f.Stage, f.Counted) > recovery:
		over := float64(min(f.Stage, f.Counted) - recovery)
		f.Target += float64(over * rateOr(d.HAI, p, d.hyper))
	default:
		f.Target += rateOr(d.AI, p, d.additive)
	}
	if d.recover(f, p); f.full(p) {
		f.RaiseAt = 0
	}
}
