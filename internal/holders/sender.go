package holders

import (
	"sort"

	"fabricast/internal/causes"
)

// sender is a sending NIC. Because a message may be queued there for long, it has one element for all packets that
// a message sends one after another.
type sender struct{ sent []sent }

// sent says up to when (ps) a NIC has sent packets of a holder, or read them from memory.
type sent struct {
	until  int64
	holder *holder
}

// sends records that a packet is sent.
func (v *sender) sends(s *step) {
	if n := len(v.sent); n > 0 && v.sent[n-1].holder.Holder == s.self.Holder {
		v.sent[n-1].until = s.leave
		return
	}
	v.sent = append(v.sent, sent{s.leave, s.self})
}

// queued charges the time (ps) in which others had the NIC. After the last of them, it is charged to self.
func (v *sender) queued(list []piece, from, to int64, self *holder) []piece {
	i := sort.Search(len(v.sent), func(i int) bool { return v.sent[i].until > from })
	for ; i < len(v.sent) && from < to; i++ {
		from = min(v.sent[i].until, to)
		list = add(list, from, causes.NICQueue, v.sent[i].holder)
	}
	if from < to {
		list = add(list, to, causes.NICQueue, self)
	}
	return list
}

// forget forgets what has been sent before a time (ps).
func (v *sender) forget(oldest int64) {
	n := 0
	for n < len(v.sent) && v.sent[n].until < oldest {
		n++
	}
	v.sent = append(v.sent[:0], v.sent[n:]...)
}
