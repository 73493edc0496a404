package timewarp

import (
	"encoding/binary"
	"math"
	"time"

	"fabricast/internal/cluster"
)

// abroad carries what parts send to parts of other processes, and takes back what they have sent.
//
// In an exchange each process sends to each other one a header, the length of control messages and
// these, and for each channel between them of which something has changed: sender, receiver, the
// window from which on all is taken back (math.MaxInt64 if nothing is), the number of mails, and for
// each its window, the first window in which it has an effect, its length and its bytes. All numbers
// take 8 bytes.
//
// What is taken back may undo windows whose mails have been sent in the same exchange. Further
// exchanges take these back, until no process has anything to take back.
type abroad struct {
	crew  *crew
	group cluster.Group
	each  int // parts of a process
	out   [][]byte
}

// abroadHead is what a process reports to all others in an exchange.
type abroadHead struct {
	horizon int64 // its parts do nothing before this window
	stopped bool
	broken  bool      // a part of it has failed for certain
	cuts    bool      // it takes something back
	cost    roundCost // of the last round
	further int64     // ns that exchanges took after the first; not sent
}

func newAbroad(c *crew, g cluster.Group, each int) *abroad {
	return &abroad{crew: c, group: g, each: each, out: make([][]byte, g.Size())}
}

// exchange carries what parts have sent, and returns GVT and what the processes have reported besides.
func (a *abroad) exchange(own abroadHead) (all abroadHead) {
	all = a.once(own)
	begin := time.Now()
	for all.cuts {
		again := a.once(own)
		all.horizon, all.cuts = again.horizon, again.cuts
	}
	all.further = int64(time.Since(begin))
	return all
}

// once makes one exchange, and returns what holds for all processes.
func (a *abroad) once(own abroadHead) (all abroadHead) {
	c := a.crew
	c.tally.Synchronizations++
	own.horizon, own.cuts = c.horizon(), false
	for _, k := range c.kps {
		for _, ch := range k.in {
			own.horizon = min(own.horizon, ch.coming())
		}
		for _, ch := range k.out {
			if ch.to == nil {
				own.horizon = min(own.horizon, ch.coming())
				own.cuts = own.cuts || ch.cut < len(ch.mails)
			}
		}
	}
	messages := a.messages()
	for p := range a.out {
		a.out[p] = a.out[p][:0]
		if p != a.group.Rank() {
			out := appendNumbers(own.pack(a.out[p]), uint64(len(messages[p])))
			a.out[p] = a.pack(append(out, messages[p]...), p)
		}
	}
	all = own
	for p, data := range a.group.Exchange(a.out) {
		if p == a.group.Rank() {
			continue
		}
		r := numbers{data}
		head := unpackHead(&r)
		all.horizon = min(all.horizon, head.horizon)
		all.stopped = all.stopped || head.stopped
		all.broken = all.broken || head.broken
		all.cuts = all.cuts || head.cuts
		all.cost.beside(&head.cost)
		if n := r.next(); n > 0 {
			c.options.Control.Deliver(p, r.bytes(int(n)))
		}
		for len(r.rest) > 0 {
			a.unpack(&r)
		}
	}
	return all
}

// messages returns the control messages for each process.
func (a *abroad) messages() [][]byte {
	if c := a.crew.options.Control; c != nil {
		return c.Take()
	}
	return make([][]byte, len(a.out))
}

func (h *abroadHead) pack(out []byte) []byte {
	flags := uint64(0)
	for i, set := range []bool{h.stopped, h.broken, h.cuts} {
		if set {
			flags |= 1 << i
		}
	}
	out = appendNumbers(out, uint64(h.horizon), flags)
	for _, n := range h.cost.numbers() {
		out = appendNumbers(out, uint64(*n))
	}
	return out
}

func unpackHead(r *numbers) abroadHead {
	horizon, flags := r.next(), r.next()
	h := abroadHead{
		horizon: int64(horizon), stopped: flags&1 != 0, broken: flags&2 != 0, cuts: flags&4 != 0,
	}
	for _, n := range h.cost.numbers() {
		*n = int64(r.next())
	}
	return h
}

// pack appends what has changed in channels to parts of a process.
func (a *abroad) pack(out []byte, process int) []byte {
	for _, k := range a.crew.kps {
		for _, ch := range k.out {
			if ch.receiver/a.each != process || ch.cut == len(ch.mails) && len(ch.fresh) == 0 {
				continue
			}
			from := int64(math.MaxInt64)
			if ch.cut < len(ch.mails) {
				from = ch.mails[ch.cut].sent
				ch.removeCut()
			}
			out = appendNumbers(
				out, uint64(k.number), uint64(ch.receiver), uint64(from), uint64(len(ch.fresh)),
			)
			for i := range ch.fresh {
				m := &ch.fresh[i]
				out = appendNumbers(out, uint64(m.sent), uint64(m.first), uint64(len(m.data)))
				out = append(out, m.data...)
			}
			ch.append()
		}
	}
	return out
}

// unpack takes in what has changed in a channel to a part of this process.
func (a *abroad) unpack(r *numbers) {
	from, to := int(r.next()), int(r.next())
	k := a.crew.kps[to-a.group.Rank()*a.each]
	if from > k.number {
		from-- // there is none from itself
	}
	ch := k.in[from]
	if window := int64(r.next()); window < math.MaxInt64 {
		if published, _ := ch.cancel(window); published {
			a.crew.takeOut(ch)
		}
	}
	for range r.next() {
		m := mail{sent: int64(r.next()), first: int64(r.next()), at: math.MaxInt}
		m.data = k.keep(r.bytes(int(r.next())))
		ch.fresh = append(ch.fresh, m)
	}
}

func appendNumbers(out []byte, values ...uint64) []byte {
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return out
}

// numbers reads what pack has appended.
type numbers struct{ rest []byte }

func (r *numbers) next() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

func (r *numbers) bytes(n int) []byte {
	data := r.rest[:n]
	r.rest = r.rest[n:]
	return data
}
