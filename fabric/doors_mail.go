package fabric

// feedbackMail is feedback for the injector of a NIC of another block.
type feedbackMail struct {
	at        int64 // ps
	value     uint64
	nic, from uint32
}

// sendRider sends what the packet sent last carries for doors.
func (o *outbox) sendRider(router uint32, x rider) {
	box := o.to(uint32(o.net.blockOf(router)))
	box.riders = append(box.riders, x)
}

// sendFeedback sends feedback to a NIC of a router of another block.
func (o *outbox) sendFeedback(router uint32, f feedbackMail) {
	box := o.to(uint32(o.net.blockOf(router)))
	box.feedback = append(box.feedback, f)
	box.first = min(box.first, f.at)
}

// takeMail takes in feedback from another block.
func (d *doors) takeMail(f *feedbackMail) {
	router := d.b.hosts[d.b.send.hostOf(int32(f.nic))]
	d.schedule(router, work{at: f.at, kind: takeFeedback, nic: f.nic, from: f.from, value: f.value})
}
