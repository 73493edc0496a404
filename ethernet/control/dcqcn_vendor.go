package control

// dcqcnVendor is DCQCN as NICs of Mellanox have it, in the form of ns-3 simulators
// (github.com/alibaba-edu/High-Precision-Congestion-Control, rdma-hw.cc). Three timers run from the
// first notification on: one updates alpha, one lowers the rate if a notification came, one raises
// it. After a decrease the rate recovers `recovery` times, rises once additively, and then by hyper
// increases. Where timers expire together, they take effect in this order: alpha, increase,
// decrease.
type dcqcnVendor struct{ dcqcn }

// Start implements Algorithm.
func (d dcqcnVendor) Start(s []uint64, p *Path) { d.start(s, p) }

// afterAlpha is the delay (ps) of the first decrease behind the update of alpha at the same time.
const afterAlpha = 1000

// Notified implements Algorithm.
func (d dcqcnVendor) Notified(s []uint64, _ *Path, n *Now) {
	f := d.of(s)
	if f.AlphaAt == 0 {
		f.AlphaAt = n.At + int64(d.AlphaTimer)
		f.LowerAt = n.At + int64(d.DecreaseTimer) + afterAlpha
		f.Target, f.Pending = f.Rate, true
		return // the first is no sample for alpha
	}
	d.update(f, n.At)
	d.skip(f, n.At)
	f.Sample, f.Pending = true, true
}

// update changes alpha for each of its timers that has expired. Nothing else depends on alpha than
// the next decrease, so this need not happen in time.
func (d *dcqcnVendor) update(f *dcqcnState, now int64) {
	for ; f.AlphaAt <= now; f.AlphaAt += int64(d.AlphaTimer) {
		if f.Sample {
			f.Alpha = blend(d.g, 1, f.Alpha)
		} else if f.Alpha *= 1 - d.g; f.Alpha < 1e-100 {
			f.Alpha = 0
			f.AlphaAt += (now - f.AlphaAt) / int64(d.AlphaTimer) * int64(d.AlphaTimer)
		}
		f.Sample = false
	}
}

// skip passes over timers of decreases that have found no notification.
func (d *dcqcnVendor) skip(f *dcqcnState, now int64) {
	if !f.Pending && f.LowerAt <= now {
		f.LowerAt += ((now-f.LowerAt)/int64(d.DecreaseTimer) + 1) * int64(d.DecreaseTimer)
	}
}

// Due implements Algorithm.
func (d dcqcnVendor) Due(s []uint64) int64 {
	f := d.of(s)
	due := or(f.RaiseAt, Forever)
	if f.Pending {
		due = min(due, f.LowerAt)
	}
	return due
}

// Timer implements Algorithm.
func (d dcqcnVendor) Timer(s []uint64, p *Path, n *Now) {
	f := d.of(s)
	d.update(f, n.At)
	if f.RaiseAt != 0 && f.RaiseAt <= n.At {
		f.RaiseAt += int64(d.IncreaseTimer)
		d.raise(f, p)
	}
	if f.Pending && f.LowerAt <= n.At {
		if d.Clamp || f.Stage != 0 {
			f.Target = f.Rate
		}
		d.lower(f, p)
		f.Pending, f.Stage = false, 0
		f.LowerAt += int64(d.DecreaseTimer)
		f.RaiseAt = n.At + int64(d.IncreaseTimer)
	}
}

// raise increases the rate after its timer.
func (d *dcqcnVendor) raise(f *dcqcnState, p *Path) {
	switch recovery := int64(d.Recovery); {
	case f.Stage == recovery:
		f.Target += rateOr(d.AI, p, d.additive)
	case f.Stage > recovery:
		f.Target += rateOr(d.HAI, p, d.hyper)
	}
	f.Stage++
	if d.recover(f, p); f.full(p) {
		f.RaiseAt = 0
	}
}
