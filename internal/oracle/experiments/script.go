package experiments

import (
	"fmt"
	"iter"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/internal/oracle"
	"fabricast/internal/snapshot"
)

// Script posts the messages of an experiment from some hosts, and records when they are fetched and
// delivered.
type Script struct {
	experiment *Experiment
	outcome    *Outcome
	transport  fabric.Transport
	hosts      []scriptHost
	effects    [][]int // by message: the messages that it causes
}

// scriptHost is the state of one host.
type scriptHost struct {
	here      bool
	due       []posting
	now       int64   // time of the latest Wake (ps)
	posted    []int64 // by NIC of the host: the latest post time (ps)
	delivered []int64 // by NIC of the host: the latest delivery reported (ps)
}

// posting is a message that has not been posted yet.
type posting struct {
	at      int64 // when it is to be posted (ps)
	message int
}

// divider is a transport that divides the latency of a delivered message by cause.
type divider interface {
	Parts(id fabric.MsgID) *causes.Parts
}

var _ fabric.Endpoint = (*Script)(nil)

// NewScript returns the endpoint for some hosts. Scripts for different hosts may share an outcome.
func NewScript(e *Experiment, hosts iter.Seq[int32], outcome *Outcome) *Script {
	s := &Script{
		experiment: e,
		outcome:    outcome,
		hosts:      make([]scriptHost, e.Hosts()),
		effects:    make([][]int, len(e.Messages)),
	}
	for i := range hosts {
		s.hosts[i].here = true
		s.hosts[i].posted = make([]int64, e.NICs)
		s.hosts[i].delivered = make([]int64, e.NICs)
	}
	for i, m := range e.Messages {
		if m.Cause != AtStart {
			s.effects[m.Of] = append(s.effects[m.Of], i)
		}
	}
	return s
}

// Start sets the transport of the script's hosts, and sets the first timers.
func (s *Script) Start(t fabric.Transport) {
	s.transport = t
	for i, m := range s.experiment.Messages {
		if host := int(s.experiment.host(m.Src)); m.Cause == AtStart && s.hosts[host].here {
			h := &s.hosts[host]
			h.due = append(h.due, posting{m.Delay, i})
		}
	}
	for host := range s.hosts {
		if s.hosts[host].here {
			s.setTimer(int32(host))
		}
	}
}

// Move implements fabric.Mover.
func (s *Script) Move(to fabric.Transport) { s.transport = to }

// Wake posts all messages that are due at the time of the call, in the order of their indices.
// Messages that become due during the call wait for the next call. The result thus does not depend
// on whether a transport calls back immediately. Wake implements fabric.Endpoint.
func (s *Script) Wake(host int32, now int64) {
	h := s.host(host)
	if now < h.now {
		panic(fmt.Sprintf("host %d wakes at %d ps after %d ps", host, now, h.now))
	}
	h.now = now
	var batch []int
	h.due = slices.DeleteFunc(h.due, func(p posting) bool {
		if p.at < now {
			panic(fmt.Sprintf("host %d wakes at %d ps, but its timer was set to %d ps", host, now, p.at))
		}
		if p.at == now {
			batch = append(batch, p.message)
		}
		return p.at == now
	})
	slices.Sort(batch)
	for _, i := range batch {
		s.post(h, i)
	}
	s.setTimer(host)
}

func (s *Script) post(h *scriptHost, i int) {
	m := s.experiment.Messages[i]
	last := &h.posted[int(m.Src)%s.experiment.NICs]
	*last = max(*last, h.now+m.Ahead)
	s.outcome.Fates[i].Post = *last
	id, msg := s.transport.NewMessage()
	msg.Src, msg.Dst, msg.Size = m.Src, m.Dst, m.Size
	msg.Tag, msg.Request, msg.Class = int32(i), uint32(i), m.Class
	msg.Sent, msg.Post = h.now, *last
	if m.Waited > 0 {
		msg.Sent, msg.Flags = h.now-m.Waited, fabric.SourceQueued
	}
	if m.Gap > 0 {
		s.transport.Attach(id).Gap = uint32(m.Gap)
	}
	s.transport.Post(id)
}

// Delivered checks and records the delivery of a message, and schedules the messages that it
// causes. It implements fabric.Endpoint.
func (s *Script) Delivered(host int32, id fabric.MsgID, at int64) {
	msg := s.transport.Message(id)
	i := int(msg.Tag)
	m := s.experiment.Messages[i]
	if msg.Src != m.Src || msg.Dst != m.Dst || msg.Size != m.Size || host != s.experiment.host(m.Dst) {
		panic(fmt.Sprintf("message %d came out of the network of host %d as %+v", i, host, *msg))
	}
	h := s.host(host)
	last := &h.delivered[int(m.Dst)%s.experiment.NICs]
	if at < *last || at < h.now || s.outcome.Fates[i].Delivered != Unknown {
		panic(fmt.Sprintf("delivery of message %d at %d ps is reported after one at %d ps", i, at, *last))
	}
	*last = at
	s.outcome.Fates[i].Delivered = at
	s.divide(i, id)
	s.transport.Release(id)
	s.cause(host, OnDelivery, i, at)
}

// divide records the latency of a delivered message by cause, if it is known.
func (s *Script) divide(i int, id fabric.MsgID) {
	d, ok := s.transport.(divider)
	if ok && s.outcome.Parts != nil {
		s.outcome.Parts[i] = *d.Parts(id)
	}
	if ok && s.outcome.AtStarts != nil {
		s.outcome.AtStarts[i] = *d.Parts(id)
		if o, ok := s.transport.(*oracle.Oracle); ok {
			s.outcome.AtStarts[i] = *o.PartsAtStarts(id)
		}
	}
}

// Fetched records when a message has been read from memory, and schedules the messages that this
// causes. It implements fabric.Endpoint.
func (s *Script) Fetched(host int32, request uint32, at int64) {
	i := int(request)
	if at < s.host(host).now || s.outcome.Fates[i].Fetched != Unknown {
		panic(fmt.Sprintf("fetch of message %d reported twice, or too late: at %d ps", i, at))
	}
	s.outcome.Fates[i].Fetched = at
	s.cause(host, OnFetch, i, at)
}

// cause schedules the messages that an event causes: event c of message `of`, at the time `at`
// (ps).
func (s *Script) cause(host int32, c Cause, of int, at int64) {
	h := s.host(host)
	before := len(h.due)
	for _, i := range s.effects[of] {
		if m := s.experiment.Messages[i]; m.Cause == c {
			h.due = append(h.due, posting{at + m.Delay, i})
		}
	}
	if len(h.due) > before {
		s.setTimer(host)
	}
}

func (s *Script) setTimer(host int32) {
	at := fabric.Forever
	for _, p := range s.host(host).due {
		at = min(at, p.at)
	}
	s.transport.SetTimer(host, at)
}

func (s *Script) host(host int32) *scriptHost { return &s.hosts[host] }

// State implements fabric.Stateful. It includes the outcome, which scripts may share.
func (s *Script) State(v *snapshot.Visitor) {
	for i := range s.hosts {
		h := &s.hosts[i]
		at, messages := make([]int64, len(h.due)), make([]int64, len(h.due))
		for i, p := range h.due {
			at[i], messages[i] = p.at, int64(p.message)
		}
		snapshot.List(v, &at)
		snapshot.List(v, &messages)
		h.due = h.due[:0]
		for i := range at {
			h.due = append(h.due, posting{at[i], int(messages[i])})
		}
		snapshot.Value(v, &h.now)
		snapshot.Values(v, h.posted)
		snapshot.Values(v, h.delivered)
	}
	snapshot.Values(v, s.outcome.Fates)
	snapshot.Values(v, s.outcome.Parts)
	snapshot.Values(v, s.outcome.AtStarts)
}
