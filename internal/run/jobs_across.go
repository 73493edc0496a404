package run

import (
	"encoding/binary"

	"fabricast/fabric"
	"fabricast/internal/processes"
)

// What processes that share a run of several jobs tell each other. All of them have the same jobs in
// the same order.

// standing is how far a job has got in one process, or in all.
type standing struct {
	Finished int
	End      int64 // ps
	Failed   bool
	Counts   [3]int64 // jobCounts
}

// standings returns how far each job has got in all processes.
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
	if !processes.Several(j.group) {
		return own
	}
	all := make([]standing, len(own))
	for _, of := range processes.GatherValues(j.group, own) {
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

// quiet reports whether the job has no future event: no message under way and no timer of a host.
func (s *standing) quiet() bool { return s.Counts[2] == 0 && s.Counts[0] == s.Counts[1] }

// jobBytes is the size of a job's number, which goes with the contents of its messages.
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

// Told implements fabric.Contents.
func (e *jobsEndpoint) Told() (all fabric.EndpointProgress) {
	for _, job := range e.jobs {
		if c, ok := job.(fabric.Contents); ok {
			p := c.Told()
			all.Arrived += p.Arrived
			all.Finished += p.Finished
		}
	}
	return all
}

// Heard implements fabric.Contents. Only the sums over all jobs are reported.
func (e *jobsEndpoint) Heard(process int, p fabric.EndpointProgress) {
	for _, job := range e.jobs {
		if c, ok := job.(fabric.Contents); ok {
			c.Heard(process, p)
			return
		}
	}
}

// HasNews implements fabric.Aside.
func (e *jobsEndpoint) HasNews() bool {
	for _, job := range e.jobs {
		if c, ok := job.(fabric.Contents); ok && c.HasNews() {
			return true
		}
	}
	return false
}

// News implements fabric.Aside: the number of a job and of bytes precede its news.
func (e *jobsEndpoint) News() [][]byte {
	var all [][]byte
	for i, job := range e.jobs {
		c, ok := job.(fabric.Contents)
		if !ok {
			continue
		}
		for p, news := range c.News() {
			for len(all) <= p {
				all = append(all, nil)
			}
			if len(news) > 0 {
				all[p] = binary.LittleEndian.AppendUint32(all[p], uint32(i))
				all[p] = binary.LittleEndian.AppendUint32(all[p], uint32(len(news)))
				all[p] = append(all[p], news...)
			}
		}
	}
	return all
}

// Hear implements fabric.Aside.
func (e *jobsEndpoint) Hear(process int, news []byte) {
	for len(news) > 0 {
		job, n := binary.LittleEndian.Uint32(news), binary.LittleEndian.Uint32(news[4:])
		e.jobs[job].(fabric.Contents).Hear(process, news[8:8+n])
		news = news[8+n:]
	}
}

var _ fabric.Contents = (*jobsEndpoint)(nil)
