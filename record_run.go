package fabricast

import (
	"cmp"
	"errors"
	"time"

	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/node"
	"fabricast/record"
	"fabricast/topology"
)

// recorder takes what the network and the ranks tell while they run, and puts it into tables.
type recorder struct {
	folder   *record.Folder
	plan     *plan
	what     Recording
	blocks   int
	bins     *record.BinWriter
	passages *record.Spool[record.Passage]
	messages *record.Spool[record.Message]
	spans    *record.Spool[record.Span]
	idle     func() error  // writes the tables of the network, for those who look on; nil once it has
	parted   time.Duration // of the run, when the last part of bins was written
	parting  time.Duration // what that took
	parts    int           // bins in parts
	gauge    *gauge        // nil unless progress tells of links
}

// newRecorder begins the tables that the experiment asks for, if there is a folder; nil if nobody wants to know anything.
func (e *Experiment) newRecorder(s settings, p *plan, blocks int) (*recorder, error) {
	f := s.folder
	recorded := f != nil && e.Record.given()
	if !recorded && s.hottest == 0 {
		return nil, nil
	}
	r := &recorder{folder: f, plan: p, blocks: blocks, gauge: newGauge(p, blocks, s.hottest)}
	if !recorded {
		return r, nil
	}
	r.what = e.Record
	var errs [3]error
	if e.Record.Bins.Interval != "" {
		interval, chosen := e.Record.Bins.interval()
		if !chosen {
			interval = firstInterval(p)
		}
		g := p.fabric.Graph
		r.bins = f.NewBins(blocks, p.fabric.Router.VCs, int64(interval), chosen, e.Record.Bins.Buffers, func(port int32) (router, local int32) {
			router = g.Ports[port].Router
			return router, port - g.PortBase[router]
		})
		r.idle = func() error { return e.recordIdle(f, p) }
	}
	if len(e.Record.Buffers.Routers) > 0 {
		r.passages, errs[0] = record.NewSpool(f, record.BufferLogTable, blocks, passageTime, comparePassages)
	}
	if e.Record.Messages {
		r.messages, errs[1] = record.NewSpool(f, record.MessagesTable, blocks, messageTime, compareMessages)
	}
	if e.Record.Timeline {
		r.spans, errs[2] = record.NewSpool(f, record.TimelineTable, blocks, spanTime, compareSpans)
	}
	return r, errors.Join(errs[:]...)
}

// firstInterval is the interval with which automatic ones begin: 32 packet times, as a power of two of microseconds.
func firstInterval(p *plan) Time {
	s := &p.fabric
	packet := Time(s.Packet.MTU * int64(Second) / s.Links[topology.LinkRouter].Bandwidth)
	interval := Microsecond
	for interval < 32*packet {
		interval *= 2
	}
	return interval
}

// mostBins is how many bins there may be if the interval is automatic: so many that their tables stay small.
func mostBins(links int) int64 {
	const rows = 1_000_000
	return int64(min(512, max(32, rows/max(1, links)))) &^ 1
}

// attach has the parts of a simulation tell; before it begins.
func (r *recorder) attach(network *fabric.Network, world *node.World) {
	if r == nil {
		return
	}
	o := fabric.Observation{Sink: r, Routers: r.what.Buffers.logs(), LogFrom: int64(r.what.Buffers.From), LogTo: int64(r.what.Buffers.To)}
	if o.LogTo == 0 {
		o.LogTo = fabric.Forever
	}
	if r.bins != nil || r.gauge != nil {
		interval, chosen := r.what.Bins.interval()
		if o.Interval, o.Buffers = int64(interval), r.what.Bins.Buffers; !chosen {
			o.Interval, o.MaxBins = int64(firstInterval(r.plan)), mostBins(linksOf(r.plan.fabric.Graph))
		}
	}
	network.Observe(o)
	if world != nil {
		world.Trace(r, r.spans != nil, r.messages != nil)
	}
}

// Window implements fabric.Sink.
func (r *recorder) Window(block int, begin int64) {
	if r.passages != nil {
		r.passages.Window(block, begin)
	}
	if r.messages != nil {
		r.messages.Window(block, begin)
	}
	if r.spans != nil {
		r.spans.Window(block, begin)
	}
}

// Bin implements fabric.Sink.
func (r *recorder) Bin(block int, bin *fabric.Bin) {
	if r.gauge != nil {
		r.gauge.take(block, bin)
	}
	if r.bins == nil {
		return
	}
	links := func(yield func(record.LinkBin)) {
		for i := range bin.Links {
			l := &bin.Links[i]
			yield(record.LinkBin{
				Link: l.Link, Bytes: l.Bytes, Packets: l.Packets,
				NoCredit: l.NoCredit, BusyOutput: l.BusyOutput, BusyCrossbar: l.BusyCrossbar,
			})
		}
	}
	buffers := func(yield func(port, vc int32, held, peak int64)) {
		for i := range bin.Buffers {
			b := &bin.Buffers[i]
			yield(b.Port, b.VC, b.Held, b.Peak)
		}
	}
	r.bins.Add(block, bin.Begin, bin.Interval, bin.Next, links, buffers)
}

// Passage implements fabric.Sink.
func (r *recorder) Passage(block int, p *fabric.Passage) {
	nics := int32(r.plan.fabric.Graph.NICsPerHost)
	r.passages.Add(block, record.Passage{
		Router: p.Router, Port: p.Port, VC: p.VC, OutPort: p.OutPort, OutVC: p.OutVC,
		Message: p.Message, SourceHost: p.Source / nics, DestinationHost: p.Destination / nics, Bytes: p.Bytes, In: p.In, Out: p.Out,
		Order: p.Order, Credit: p.Credit, BusyOutput: p.BusyOutput, BusyCrossbar: p.BusyInside,
	})
}

func passageTime(p *record.Passage) int64 { return p.Out }

func comparePassages(a, b record.Passage) int {
	return cmp.Or(cmp.Compare(a.Out, b.Out), cmp.Compare(a.Router, b.Router), cmp.Compare(a.Port, b.Port), cmp.Compare(a.VC, b.VC), cmp.Compare(a.OutPort, b.OutPort))
}

// Message implements node.Tracer.
func (r *recorder) Message(block int, m *node.Sent) {
	row := record.Message{
		Message: fabric.MessageNumber(m.SourceHost, m.DstHost, m.Tag, m.Size, m.Sent),
		Source:  m.Source, Destination: m.Dst, SourceHost: m.SourceHost, DestinationHost: m.DstHost,
		Kind: record.MessageNetwork, Tag: m.Tag, Bytes: m.Size, Send: m.Sent, Delivery: m.Delivered,
	}
	if m.SourceHost == m.DstHost {
		row.Kind = record.MessageLocal
	} else {
		row.Distance = int32(r.plan.topology.Distance(int(m.SourceHost), int(m.DstHost)))
	}
	if m.Collective() {
		row.Collective = string(collective.KindOf(m.Tag))
	}
	r.messages.Add(block, row)
}

func messageTime(m *record.Message) int64 { return m.Delivery }

func compareMessages(a, b record.Message) int {
	return cmp.Or(cmp.Compare(a.Delivery, b.Delivery), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Destination, b.Destination),
		cmp.Compare(a.Send, b.Send), cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Bytes, b.Bytes))
}

// states are the words for what ranks do.
var states = [...]string{
	node.Computing: record.StateCompute, node.InLibrary: record.StateOverhead, node.Sending: record.StateSend,
	node.AwaitingMessage: record.StateReceiveWait, node.Awaiting: record.StateWait,
}

// Span implements node.Tracer. What goes on in the same way becomes one row.
func (r *recorder) Span(block int, s *node.Span) {
	row := record.Span{Rank: s.Rank, Begin: s.Begin, End: s.End, State: states[s.State], Step: s.Step, Peer: s.Peer}
	if s.Collective {
		row.Collective = string(collective.KindOf(s.Tag))
	}
	if last := r.spans.Last(block); last != nil && s.State == node.Computing && last.Rank == s.Rank && last.End == s.Begin && last.State == row.State {
		last.End = s.End
		return
	}
	r.spans.Add(block, row)
}

func spanTime(s *record.Span) int64 { return s.End }

func compareSpans(a, b record.Span) int {
	return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Begin, b.Begin))
}

// tell adds what the recorder, which may be nil, knows.
func (r *recorder) tell(p *Progress) {
	if r != nil {
		r.gauge.tell(p)
	}
}

// pace is how often bins that are complete are written while a run is going on: not before a time has passed since the last
// ones, so seldom that it takes a small part of the time, and the first ones, with the tables of the network, not
// before a time that grows with the network.
type pace struct {
	least   time.Duration
	rest    time.Duration // times as long as writing took
	perLink time.Duration
}

// Those who look on wait for bins. If nobody does, the bins are for those who come later, or find what a run that was killed has left.
var watchedPace, unwatchedPace = pace{least: time.Second, rest: 10}, pace{least: 10 * time.Second, rest: 200, perLink: 100 * time.Microsecond}

// due tells whether bins are to be written now.
func (r *recorder) due(f *record.Folder, wall time.Duration) bool {
	pace := unwatchedPace
	if f.Watched() {
		pace = watchedPace
	}
	if r.idle != nil && wall < pace.perLink*time.Duration(linksOf(r.plan.fabric.Graph)) {
		return false
	}
	return wall-r.parted > max(pace.least, pace.rest*r.parting)
}

// progress leaves word of how far the run has got for those who look into the folder, and the bins that
// are complete.
func (r *recorder) progress(f *record.Folder, p record.Progress) {
	if f == nil {
		return
	}
	if wall := time.Duration(p.Wall * float64(time.Second)); r != nil && r.bins != nil && r.due(f, wall) {
		if r.idle != nil {
			_ = r.idle() // of an error finish will tell
			r.idle = nil
		}
		begin := time.Now()
		r.parts, _ = r.bins.Part()
		r.parting = time.Since(begin)
		r.parted = wall + r.parting
	}
	if r != nil {
		p.Bins = r.parts
	}
	_ = f.WriteProgress(p)
}

// finish writes what is left; no block may be running.
func (r *recorder) finish(network *fabric.Network, end Time, about map[string]string) error {
	if r == nil {
		return nil
	}
	network.EndObservation(int64(end))
	var errs [4]error
	if r.bins != nil {
		errs[0] = r.bins.Finish(int64(end), about)
	}
	if r.passages != nil {
		errs[1] = r.passages.Finish(about)
	}
	if r.messages != nil {
		errs[2] = r.messages.Finish(about)
	}
	if r.spans != nil {
		errs[3] = r.spans.Finish(about)
	}
	return errors.Join(errs[:]...)
}

// close gives up what finish has not written.
func (r *recorder) close() {
	if r == nil {
		return
	}
	if r.bins != nil {
		r.bins.Close()
	}
	if r.passages != nil {
		r.passages.Close()
	}
	if r.messages != nil {
		r.messages.Close()
	}
	if r.spans != nil {
		r.spans.Close()
	}
}

// recordIdle writes the tables of the network before anything has moved in it, for those who look at bins
// while the run goes on. They are replaced at its end.
func (e *Experiment) recordIdle(f *record.Folder, p *plan) error {
	none := func(int) fabric.PortUse { return fabric.PortUse{} }
	return e.recordNetwork(f, linkMeter{plan: p, port: none, nic: none}, nil)
}
