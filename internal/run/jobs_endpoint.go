package run

import (
	"encoding/binary"
	"iter"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// jobsEndpoint is the endpoint of a partition block whose hosts belong to several jobs. It forwards
// each call for a host to the endpoint of the host's job.
type jobsEndpoint struct {
	fabric.Transport // of the block; wrapped to count the events of each job
	first            int32
	nics             int32   // number of NICs per host
	owner            []int32 // index of the host's job, by host - first; -1: none
	jobs             []fabric.Endpoint
	counts           []jobCounts
	counting         bool   // jobs use this wrapper instead of the block's transport
	timed            []bool // whether the host has a timer, by host - first
}

// jobCounts counts events of a job in one partition block.
type jobCounts struct {
	posted, delivered int64 // number of messages
	timers            int64
}

const noJob = -1

// newJobsEndpoint returns the endpoint of a partition block with the given hosts and no jobs.
func newJobsEndpoint(t fabric.Transport, hosts iter.Seq[int32], nics int32) *jobsEndpoint {
	first, end := bounds(hosts)
	e := &jobsEndpoint{
		Transport: t, first: first, nics: nics, owner: make([]int32, end-first),
		timed: make([]bool, end-first),
	}
	for i := range e.owner {
		e.owner[i] = noJob
	}
	return e
}

// Move implements fabric.Mover.
func (e *jobsEndpoint) Move(to fabric.Transport) {
	e.Transport = to
	if e.counting {
		return
	}
	for _, j := range e.jobs {
		j.(fabric.Mover).Move(to)
	}
}

// Stays implements fabric.Resident.
func (e *jobsEndpoint) Stays() bool {
	return slices.ContainsFunc(e.jobs, func(j fabric.Endpoint) bool {
		r, ok := j.(fabric.Resident)
		return ok && r.Stays()
	})
}

// bounds returns the first of a sequence of ascending hosts, and the last plus one. They are equal
// if the sequence is empty.
func bounds(hosts iter.Seq[int32]) (first, end int32) {
	for h := range hosts {
		if end == 0 {
			first = h
		}
		end = h + 1
	}
	return first, end
}

// add adds a job's endpoint for the given hosts. Hosts outside the partition block are ignored.
func (e *jobsEndpoint) add(endpoint fabric.Endpoint, hosts []int32) {
	for _, h := range hosts {
		if i := h - e.first; i >= 0 && int(i) < len(e.owner) {
			e.owner[i] = int32(len(e.jobs))
		}
	}
	e.jobs, e.counts = append(e.jobs, endpoint), append(e.counts, jobCounts{})
}

// Wake implements fabric.Endpoint.
func (e *jobsEndpoint) Wake(host int32, now int64) {
	job := e.owner[host-e.first]
	e.timed[host-e.first] = false
	e.counts[job].timers--
	e.jobs[job].Wake(host, now)
}

// Delivered implements fabric.Endpoint.
func (e *jobsEndpoint) Delivered(host int32, id fabric.MsgID, at int64) {
	job := e.owner[host-e.first]
	e.counts[job].delivered++
	e.jobs[job].Delivered(host, id, at)
}

// Fetched implements fabric.Endpoint.
func (e *jobsEndpoint) Fetched(host int32, request uint32, at int64) {
	e.jobs[e.owner[host-e.first]].Fetched(host, request, at)
}

// PublishProgress implements fabric.ProgressPublisher.
func (e *jobsEndpoint) PublishProgress() {
	for _, j := range e.jobs {
		if t, ok := j.(fabric.ProgressPublisher); ok {
			t.PublishProgress()
		}
	}
}

// PrefetchHost implements fabric.Prefetcher.
func (e *jobsEndpoint) PrefetchHost(host int32) {
	if p := e.prefetcher(host); p != nil {
		p.PrefetchHost(host)
	}
}

// PrefetchWork implements fabric.Prefetcher.
func (e *jobsEndpoint) PrefetchWork(host int32) {
	if p := e.prefetcher(host); p != nil {
		p.PrefetchWork(host)
	}
}

// PrefetchMatch implements fabric.Prefetcher.
func (e *jobsEndpoint) PrefetchMatch(host int32) {
	if p := e.prefetcher(host); p != nil {
		p.PrefetchMatch(host)
	}
}

// PrefetchDelivery implements fabric.Prefetcher.
func (e *jobsEndpoint) PrefetchDelivery(host int32) {
	if p := e.prefetcher(host); p != nil {
		p.PrefetchDelivery(host)
	}
}

// PrefetchQueue implements fabric.Prefetcher.
func (e *jobsEndpoint) PrefetchQueue(host int32, id fabric.MsgID) {
	if p := e.prefetcher(host); p != nil {
		p.PrefetchQueue(host, id)
	}
}

// PrefetchReceive implements fabric.Prefetcher.
func (e *jobsEndpoint) PrefetchReceive(host int32, id fabric.MsgID) {
	if p := e.prefetcher(host); p != nil {
		p.PrefetchReceive(host, id)
	}
}

// PrefetchFetched implements fabric.Prefetcher.
func (e *jobsEndpoint) PrefetchFetched(host int32, request uint32) {
	if p := e.prefetcher(host); p != nil {
		p.PrefetchFetched(host, request)
	}
}

func (e *jobsEndpoint) prefetcher(host int32) fabric.Prefetcher {
	job := e.owner[host-e.first]
	if job == noJob {
		return nil
	}
	p, _ := e.jobs[job].(fabric.Prefetcher)
	return p
}

// Post implements fabric.Transport.
func (e *jobsEndpoint) Post(id fabric.MsgID) {
	e.counts[e.owner[e.Message(id).Src/e.nics-e.first]].posted++
	e.Transport.Post(id)
}

// SetTimer implements fabric.Transport.
func (e *jobsEndpoint) SetTimer(host int32, at int64) {
	i := host - e.first
	if timed := at != fabric.Forever; timed != e.timed[i] {
		e.timed[i] = timed
		if timed {
			e.counts[e.owner[i]].timers++
		} else {
			e.counts[e.owner[i]].timers--
		}
	}
	e.Transport.SetTimer(host, at)
}

// GVT implements fabric.VirtualTime.
func (e *jobsEndpoint) GVT() int64 {
	if t, ok := e.Transport.(fabric.VirtualTime); ok {
		return t.GVT()
	}
	return 0
}

// State implements fabric.Stateful.
func (e *jobsEndpoint) State(v *snapshot.Visitor) {
	snapshot.Values(v, e.counts)
	snapshot.Values(v, e.timed)
	for _, job := range e.jobs {
		job.(fabric.Stateful).State(v)
	}
}

// StateOfObservation implements fabric.Observed.
func (e *jobsEndpoint) StateOfObservation(v *snapshot.Visitor) {
	for _, job := range e.jobs {
		if o, ok := job.(fabric.Observed); ok {
			o.StateOfObservation(v)
		}
	}
}

// The rest of this file is for runs of several jobs that are shared by several processes. All
// processes have the same jobs in the same order.

// standing is the progress of a job in one process, or the sum over all processes.
type standing struct {
	Finished int
	End      int64 // ps
	Failed   bool
	Counts   [3]int64 // fields of jobCounts
}

// standings returns the progress of each job in all processes together.
func (j *jobs) standings() []standing {
	own := make([]standing, len(j.list))
	for i, one := range j.list {
		s := &own[i]
		one.stand(s)
		for _, e := range j.endpoints {
			s.Counts[0] += e.counts[i].posted
			s.Counts[1] += e.counts[i].delivered
			s.Counts[2] += e.counts[i].timers
		}
	}
	if !cluster.Several(j.group) {
		return own
	}
	all := make([]standing, len(own))
	for _, of := range cluster.GatherValues(j.group, own) {
		for i := range of {
			all[i].add(&of[i])
		}
	}
	return all
}

func (s *standing) add(o *standing) {
	s.Finished += o.Finished
	s.End = max(s.End, o.End)
	s.Failed = s.Failed || o.Failed
	for i, n := range o.Counts {
		s.Counts[i] += n
	}
}

// quiet reports whether the job has no future event: no message in flight and no timer of a host.
func (s *standing) quiet() bool { return !s.timed() && s.Counts[0] == s.Counts[1] }

// timed reports whether a host of the job has a timer.
func (s *standing) timed() bool { return s.Counts[2] != 0 }

// jobBytes is the size of the job index that is appended to the contents of messages.
const jobBytes = 4

// TakeContents implements fabric.Contents.
func (e *jobsEndpoint) TakeContents(m *fabric.Message) (body fabric.Body, ok bool) {
	job := e.owner[m.Src/e.nics-e.first]
	c, ok := e.jobs[job].(fabric.Contents)
	if !ok {
		return body, false
	}
	if body, ok = c.TakeContents(m); ok {
		body.Data = binary.LittleEndian.AppendUint32(body.Data, uint32(job))
	}
	return body, ok
}

// KeepContents implements fabric.Contents.
func (e *jobsEndpoint) KeepContents(process int, body fabric.Body) uint32 {
	own := body.Data[:len(body.Data)-jobBytes]
	job := binary.LittleEndian.Uint32(body.Data[len(own):])
	body.Data = own
	return e.jobs[job].(fabric.Contents).KeepContents(process, body)
}

// Progress implements fabric.Contents.
func (e *jobsEndpoint) Progress() (all fabric.EndpointProgress) {
	for _, job := range e.jobs {
		if c, ok := job.(fabric.Contents); ok {
			p := c.Progress()
			all.Arrived += p.Arrived
			all.Finished += p.Finished
		}
	}
	return all
}

// ProgressOf implements fabric.Contents. It reports only sums over all jobs, to any one job.
func (e *jobsEndpoint) ProgressOf(process int, p fabric.EndpointProgress) {
	for _, job := range e.jobs {
		if c, ok := job.(fabric.Contents); ok {
			c.ProgressOf(process, p)
			return
		}
	}
}

var _ fabric.Contents = (*jobsEndpoint)(nil)
