package timewarp

import (
	"math"
	"time"

	"fabricast/internal/cluster"
)

// abroad carries what parts send to parts of other processes, and takes back what they have sent.
//
// In an exchange each process sends to each other one an abroadHead, the number of bytes of control
// messages, which follow, and for each channel between them of which something has changed a
// channelHead and its mails, each with a mailHead before its bytes. All are as in memory.
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
	further int64     // ns that exchanges took after the first, in this process
}

// channelHead is what precedes mails of a channel.
type channelHead struct {
	from, to int64 // parts
	cut      int64 // window from which on all is taken back; math.MaxInt64 if nothing is
	mails    int64
}

// mailHead is what precedes the bytes of a mail.
type mailHead struct{ sent, first, bytes int64 }

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
			out := put(put(a.out[p], own), int64(len(messages[p])))
			a.out[p] = a.pack(append(out, messages[p]...), p)
		}
	}
	all = own
	for p, data := range a.group.Exchange(a.out) {
		if p == a.group.Rank() {
			continue
		}
		head := take[abroadHead](&data)
		all.horizon = min(all.horizon, head.horizon)
		all.stopped = all.stopped || head.stopped
		all.broken = all.broken || head.broken
		all.cuts = all.cuts || head.cuts
		all.cost.beside(&head.cost)
		if n := take[int64](&data); n > 0 {
			c.options.Control.Deliver(p, data[:n])
			data = data[n:]
		}
		for len(data) > 0 {
			data = a.unpack(data)
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

// pack appends what has changed in channels to parts of a process.
func (a *abroad) pack(out []byte, process int) []byte {
	for _, k := range a.crew.kps {
		for _, ch := range k.out {
			if ch.receiver/a.each != process || ch.cut == len(ch.mails) && len(ch.fresh) == 0 {
				continue
			}
			head := channelHead{int64(k.number), int64(ch.receiver), math.MaxInt64, int64(len(ch.fresh))}
			if ch.cut < len(ch.mails) {
				head.cut = ch.mails[ch.cut].sent
				ch.removeCut()
			}
			out = put(out, head)
			for i := range ch.fresh {
				m := &ch.fresh[i]
				out = append(put(out, mailHead{m.sent, m.first, int64(len(m.data))}), m.data...)
			}
			ch.append()
		}
	}
	return out
}

// unpack takes in what has changed in a channel to a part of this process, and returns what follows.
func (a *abroad) unpack(data []byte) (rest []byte) {
	head := take[channelHead](&data)
	k := a.crew.kps[int(head.to)-a.group.Rank()*a.each]
	if head.from > head.to {
		head.from-- // there is no channel from itself
	}
	ch := k.in[head.from]
	if head.cut < math.MaxInt64 {
		if published, _ := ch.cancel(head.cut); published {
			a.crew.takeOut(ch)
		}
	}
	for range head.mails {
		m := take[mailHead](&data)
		ch.fresh = append(ch.fresh, mail{
			sent: m.sent, first: m.first, data: k.keep(data[:m.bytes]), at: math.MaxInt,
		})
		data = data[m.bytes:]
	}
	return data
}

// put appends a value without pointers.
func put[T any](out []byte, value T) []byte { return append(out, cluster.Bytes([]T{value})...) }

// take removes the first value, which put has appended, and returns it.
func take[T any](data *[]byte) T {
	var value [1]T
	*data = (*data)[copy(cluster.Bytes(value[:]), *data):]
	return value[0]
}
