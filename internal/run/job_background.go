package run

import (
	"math"

	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/traffic"
)

// background is a job of traffic that runs alongside other jobs and is not measured.
type background struct {
	planned
	traffic *traffic.Background
	ended   *units.Time // when endless traffic was ended; shared by all jobs
}

// prepare implements job.
func (b *background) prepare(settings) error {
	load, err := b.TrafficLoad()
	if err != nil {
		return err
	}
	load.Class = uint8(b.class())
	until := int64(math.MaxInt64)
	if b.Duration > 0 {
		until = b.end()
	}
	b.traffic, err = traffic.NewBackground(b.Fabric, load, b.Nodes, int64(b.Start), until)
	return err
}

// build implements job.
func (b *background) build(s *simulation) error {
	b.ended = &s.jobs.ended
	return nil
}

// place implements job.
func (b *background) place(h home, t fabric.Transport) (fabric.Endpoint, inhabitants) {
	wake := func() {
		for host := range h.Hosts() {
			if b.traffic.Has(host) {
				t.SetTimer(host, b.traffic.Begin())
			}
		}
	}
	return b.traffic.NewBlock(t, h.Hosts()), inhabitants{wake, func() {}}
}

// leave implements job.
func (b *background) leave(e fabric.Endpoint) { b.traffic.Leave(e) }

// over implements job.
func (b *background) over(now int64, _ *standing) bool { return b.traffic.Endless() || b.end() <= now }

// latest implements job.
func (b *background) latest() int64 { return b.traffic.Latest() }

// share implements job.
func (b *background) share(g cluster.Group) {
	if cluster.Several(g) {
		b.traffic.Share(g)
	}
}

// stats implements job.
func (b *background) stats() *node.Stats {
	c := b.traffic.Carriage()
	s := &node.Stats{Messages: c.Messages, Bytes: units.Bytes(c.Payload), Latency: c.Latency, Hash: c.Hash}
	if b.class() > 0 {
		oneClass(s, b.class())
	}
	if !b.traffic.Endless() {
		s.End = max(units.Time(b.end()), units.Time(c.Last))
	}
	return s
}

// sumUp implements job.
func (b *background) sumUp(r *JobResult) {
	r.Program = "traffic " + b.Experiment.Traffic.Pattern.Name
	if r.End = units.Time(b.end()); b.traffic.Endless() {
		r.End = max(*b.ended, b.Start)
	}
}
