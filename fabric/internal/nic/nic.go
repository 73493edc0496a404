package nic

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// NICs are the NICs of a block's hosts, with the data they share with the block's routers.
type NICs struct {
	core.Base
	Send    Senders   // sending sides: memory to network
	Receive Receivers // receiving sides: network to memory
	Bus     *IOBuses  // nil unless NICs share I/O buses
}

// Begin creates the parts of a block that are needed to run. Its messages and its mail must already
// exist. giveBack returns credit to the router of a NIC whose packet has crossed the I/O bus.
func (b *NICs) Begin(s *core.State, n *State, giveBack func(*core.CreditMail)) {
	b.Base.Begin(s)
	b.Send = Senders{
		Layout: b.Layout, messages: &b.Messages, events: &b.Events, counters: &b.Counters, vcs: s.VCs,
		routers: b.Routers, NICs: n.Senders, Turns: newTurns(&b.Spec, n.rotas), lanes: n.lanes,
		flitTime: b.FlitTime, uneven: b.Uneven,
	}
	b.Receive = Receivers{
		Layout: b.Layout, messages: &b.Messages, ahead: &b.Ahead, counters: &b.Counters, NICs: n.Receivers,
	}
	if b.Classed {
		b.Send.shares = core.NewShares(b.Layout, n.lags)
	}
	if n.Buses != nil {
		b.Receive.shared = true
		b.Bus = &IOBuses{
			busState: *n.Buses, Layout: b.Layout, routers: b.Routers, events: &b.Events,
			send: &b.Send, receive: &b.Receive, giveBack: giveBack,
		}
	}
}

// Post passes a message to its source NIC.
func (b *NICs) Post(id model.MsgID) {
	m := b.Messages.At(id)
	n := b.Send.NICs.At(uint32(m.Src))
	if b.Classed {
		n = b.Send.laneOf(m)
	}
	if b.Send.Turns != nil {
		b.postTurn(id, m, n)
		return
	}
	m.Left = b.Send.packetsOf(m)
	b.Ahead.Under(id, m.Size)
	m.Next = uint32(model.NoMsg)
	if n.Head == 0 {
		n.Head = uint32(id)
		b.Send.begin(b.Hosts[b.Send.HostOf(m.Src)], n, m)
	} else {
		b.Messages.At(model.MsgID(n.tail)).Next = uint32(id)
	}
	n.tail = uint32(id)
	if n.Fetching == 0 {
		b.Send.beginFetch(n, uint32(id), m)
		if b.Bus != nil {
			b.Bus.askToFetch(uint32(m.Src), n)
			return
		}
		idle := n.Fetched == 0
		b.Send.Fetch(n)
		if idle {
			b.Send.armNIC(m.Src, n.Next())
		}
	}
}

// Reading reports whether a NIC of a host is reading a message.
func (b *NICs) Reading(host int32) bool {
	n := int32(b.Spec.Graph.NICsPerHost)
	for nic := host * n; nic < (host+1)*n; nic++ {
		if b.Send.NICs.At(uint32(nic)).Fetching != 0 || b.Classed && b.Send.lanesRead(uint32(nic)) {
			return true
		}
	}
	return false
}

// Advance prepares NIC id for its next packet. It reports whether that packet has been fetched and
// may be sent without waiting for the NIC's timer.
func (b *NICs) Advance(r *core.Router, id uint32, n *Sender) bool {
	n.Ready[0] = n.Ready[1]
	n.Fetched--
	if b.Send.Turns != nil {
		b.advanceTurn(id, n)
		return false
	}
	if b.Bus == nil {
		b.Send.Fetch(n)
	} else {
		b.Bus.askToFetch(id, n)
	}
	if n.InjectLeft -= b.Payload; n.InjectLeft <= 0 {
		n.Head = b.Messages.At(model.MsgID(n.Head)).Next
		if n.Head == 0 {
			return false
		}
		b.Send.begin(r.Number, n, b.Messages.At(model.MsgID(n.Head)))
	} else if b.PerPacket != nil {
		b.Send.aim(r.Number, n, b.Messages.At(model.MsgID(n.Head)))
	}
	return n.Fetched > 0
}

// Wake calls the endpoint of a host whose timer is due, or starts a transfer of its bus.
func (b *NICs) Wake(r *core.Router, timer uint32) {
	at := b.Events.Timers.At(r.Timers + timer)
	if *at != b.Events.Now {
		return
	}
	*at = model.Forever
	*b.Events.Word(r, timer) &^= 1 << (timer & 63)
	if b.Bus != nil && b.busTurn(r, timer) {
		return
	}
	b.Endpoint.Wake(int32(r.FirstHost+timer), b.Events.Now)
}

// SetEndpoint installs the endpoint of the block's hosts.
func (b *NICs) SetEndpoint(e model.Endpoint) {
	b.Endpoint, b.Send.endpoint, b.Send.Prefetcher = e, e, nil
	if b.Bus == nil { // with buses, their timers are between those of hosts
		b.Send.Prefetcher, _ = e.(model.Prefetcher)
	}
}
