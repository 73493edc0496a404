package fabric

// workKind is what a router does for a door at a time, in the order in which it does so at one
// instant.
type workKind uint8

const (
	changePort workKind = iota
	newEpoch
	agentTakes
	agentPosts
	takeFeedback
	sendReply
)

// work is what a router has to do for a door at a time.
type work struct {
	at          int64  // ps
	value, meta uint64 // of feedback and replies
	nic         uint32 // NIC or port
	from        uint32 // the NIC that sends feedback; the NIC to which a reply goes; the input port of a packet
	parcel      uint32 // of an agent
	next        uint32 // of the router
	kind        workKind
	_           [7]byte
}

// before reports whether w is done before x, whichever has been scheduled first.
func (w *work) before(x *work) bool {
	switch {
	case w.at != x.at:
		return w.at < x.at
	case w.kind != x.kind:
		return w.kind < x.kind
	case w.nic != x.nic:
		return w.nic < x.nic
	case w.from != x.from:
		return w.from < x.from
	case w.value != x.value:
		return w.value < x.value
	}
	return w.meta < x.meta
}

// schedule adds to what a router of the block has to do.
func (d *doors) schedule(router uint32, w work) {
	place := d.freeWork
	if place == 0 {
		d.works = append(d.works, work{})
		place = uint32(len(d.works) - 1)
	} else {
		d.freeWork = d.works[place].next
	}
	at := d.all.heads.at(router)
	first := true
	for *at != 0 && !w.before(&d.works[*at]) {
		at, first = &d.works[*at].next, false
	}
	w.next = *at
	d.works[place] = w
	*at = place
	if r := d.b.routers.at(router); first {
		d.b.events.setEarlier(r, r.doorTimer(), w.at)
	}
}

// due handles the timer of a NIC of the visited router, or that of doors. It may have been set again.
func (d *doors) due(timer uint32) {
	switch r := d.g.r; {
	case !d.b.events.takeTimer(r, timer):
	case timer == r.doorTimer():
		d.serve(r)
	default:
		d.inject(timer)
	}
}

// serve does what the visited router has to do for doors now.
func (d *doors) serve(r *routerState) {
	e := &d.b.events
	head := d.all.heads.at(r.number)
	for *head != 0 && d.works[*head].at == e.now {
		place := *head
		w := d.works[place]
		*head = w.next
		d.works[place].next, d.freeWork = d.freeWork, place
		d.do(r, &w)
	}
	if *head != 0 {
		e.setEarlier(r, r.doorTimer(), d.works[*head].at)
	}
}

// do does one piece of work.
func (d *doors) do(r *routerState, w *work) {
	switch w.kind {
	case changePort:
		d.g.changePort(w.nic, w.value)
	case newEpoch:
		for nic := r.nics; nic < r.nics+uint32(r.nNICs); nic++ {
			d.tryNIC(r, nic)
		}
	case agentTakes:
		d.arrive(w)
	case agentPosts:
		d.post(w)
	case takeFeedback:
		d.takeFeedback(r, w)
	case sendReply:
		d.queueReply(r, w)
	}
}

// takeMail takes in feedback from another block.
func (d *doors) takeMail(f *feedbackMail) {
	router := d.b.hosts[d.b.send.hostOf(int32(f.nic))]
	d.schedule(router, work{at: f.at, kind: takeFeedback, nic: f.nic, from: f.from, value: f.value})
}
