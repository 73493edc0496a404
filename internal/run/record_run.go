package run

import (
	"cmp"
	"errors"
	"time"

	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/processes"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/record"
	"fabricast/topology"
	"fabricast/traffic"
)

// recorder writes what the network and the ranks report during a run into the tables of a result
// folder, and keeps the hottest links for progress reports.
type recorder struct {
	folder   *record.Folder
	plan     *plan.Plan
	what     experiment.Recording
	blocks   int // of all processes
	own      int // of these, in this process, which has the first ones
	bins     *record.BinWriter
	passages *record.Spool[record.Passage]
	messages *record.Spool[record.Message]
	spans    *record.Spool[record.Span]
	spools   []spool // those of these that are written
	// writes the network's tables before anything has moved, for a report during the run; nil once
	// it has run
	idle    func() error
	parted  time.Duration  // of the run, when the last part of bins was written
	parting time.Duration  // what that took
	parts   int            // bins in parts
	from    int64          // ps: what ended before is left out
	ranks   map[int32]bool // whose messages and states are recorded; nil: all
	gauge   *gauge         // nil unless progress tells of links
	relay   *relay         // where another process writes the tables; else nil
	held    *held          // where reports may be taken back; else nil
	to      reporter       // what gets the reports: one of these, or the recorder itself
	ended   bool           // the observation, in all processes
}

// spool is a table to which rows are added in the order of time.
type spool interface {
	Window(block int, begin int64)
	State(v *snapshot.Visitor)
	Finish(about map[string]string) error
	Close()
}

// reporter gets what the network and the jobs report.
type reporter interface {
	fabric.Sink
	node.Tracer
	carried(block int, m traffic.Carried)
	// wait says what messages wait in the blocks of this process: they are reported when their rank
	// takes them.
	wait(waiting func(block int) int64)
}

// addSpool makes a table in a folder.
func addSpool[Row any](
	r *recorder, name string, time func(*Row) int64, compare func(a, b Row) int,
) (*record.Spool[Row], error) {
	s, err := record.NewSpool(r.folder, name, r.blocks, time, compare)
	if err == nil {
		r.spools = append(r.spools, s)
	}
	return s, err
}

// newRecorder starts the tables that the experiment asks for, if the run has a result folder. It
// returns nil if there is nothing to record or to report.
//
// If several processes share the run, the first one writes the tables; the recorders of others pass
// on what their blocks report. network is nil if it has no packets; blocks is how many this process
// has.
func newRecorder(s settings, p *plan.Plan, network *fabric.Network, blocks int) (*recorder, error) {
	e := p.Experiment
	f := s.folder
	what := s.recording(e)
	own := blocks
	if processes.Several(s.group) && s.recorded() && what.Given() {
		first, all := network.Numbers()
		if !processes.First(s.group) {
			r := &recorder{plan: p, what: what}
			r.relay = &relay{first: first, blocks: make([]relayed, blocks), group: s.group}
			if r.to = r.relay; s.team != nil {
				r.held = newHeld(first, r.relay.pass)
				r.to = r.held
			}
			return r, nil
		}
		blocks = all
	}
	recorded := f != nil && what.Given()
	if !recorded && s.hottest == 0 {
		return nil, nil
	}
	r := &recorder{folder: f, plan: p, blocks: blocks, own: own, gauge: newGauge(p, blocks, s.hottest)}
	if r.to = r; !recorded {
		return r, nil
	}
	r.what = what
	if s.look != nil {
		r.narrow(s.look)
	}
	if s.team != nil { // this is its first part
		r.held = newHeld(0, func(data []byte, begin int64) { r.hearAbout(0, data, begin) })
		r.to = r.held
	}
	var errs [3]error
	if what.Bins.Interval != "" {
		interval, chosen := what.Bins.Length()
		if !chosen {
			interval = firstInterval(p)
		}
		g := p.Fabric.Graph
		r.bins = f.NewBins(
			blocks,
			p.Fabric.Router.VCs,
			int64(interval),
			chosen,
			what.Bins.Buffers,
			func(port int32) (router, local int32) {
				router = g.Ports[port].Router
				return router, port - g.PortBase[router]
			},
		)
		r.idle = func() error { return recordIdle(f, p) }
	}
	if len(what.Buffers.Routers) > 0 {
		r.passages, errs[0] = addSpool(r, record.BufferLogTable, passageTime, comparePassages)
	}
	if what.Messages {
		r.messages, errs[1] = addSpool(r, record.MessagesTable, messageTime, compareMessages)
	}
	if what.Timeline {
		r.spans, errs[2] = addSpool(r, record.TimelineTable, spanTime, compareSpans)
	}
	return r, errors.Join(errs[:]...)
}

// firstInterval returns the initial interval (ps) of automatic bins: at least 32 packet times, a
// power of two in microseconds.
func firstInterval(p *plan.Plan) units.Time {
	s := &p.Fabric
	packet := units.Time(s.Packet.MTU * int64(units.Second) / int64(s.Links[topology.LinkRouter].Bandwidth))
	interval := units.Microsecond
	for interval < 32*packet {
		interval *= 2
	}
	return interval
}

// mostBins returns the largest number of automatic bins, from 32 to 512: fewer for more links, so
// that their tables stay small.
func mostBins(links int) int64 {
	const rows = 1_000_000
	return int64(min(512, max(32, rows/max(1, links)))) &^ 1
}

// attach registers the recorder as observer of the network and of what is on it. It must be called before
// the simulation begins. r may be nil.
func (r *recorder) attach(network network, on *jobs) {
	if r == nil {
		return
	}
	o := fabric.Observation{
		Sink:    r.to,
		Routers: r.what.Buffers.Logs(),
		LogFrom: r.what.Buffers.From,
		LogTo:   r.what.Buffers.To,
	}
	if o.LogTo == 0 {
		o.LogTo = units.Time(fabric.Forever)
	}
	if r.what.Bins.Interval != "" || r.gauge != nil {
		interval, chosen := r.what.Bins.Length()
		if o.Interval, o.Buffers = interval, r.what.Bins.Buffers; !chosen {
			o.Interval, o.MaxBins = firstInterval(r.plan), mostBins(linksOf(r.plan.Fabric.Graph))
		}
	}
	network.Observe(o)
	on.trace(r.to, r.what.Timeline, r.what.Messages)
	if !r.what.Messages {
		return
	}
	r.to.wait(on.waiting)
	if m := on.measured(); m != nil {
		m.run.Log(r.to.carried)
	}
}

// wait implements reporter.
func (r *recorder) wait(waiting func(block int) int64) {
	r.messages.Waiting(func(block int) int64 {
		if block < r.own {
			return waiting(block)
		}
		return fabric.Forever // another process has taken these into account
	})
}

// aside is what passes the reports of blocks between processes; nil if there is nothing to record.
func (r *recorder) aside() fabric.Aside {
	switch {
	case r == nil:
		return nil
	case r.relay != nil:
		return r.relay
	}
	return r
}

// Window implements fabric.Sink: it passes the begin (ps) of a block's window to the tables.
func (r *recorder) Window(block int, begin int64) {
	for _, s := range r.spools {
		s.Window(block, begin)
	}
}

// Bin implements fabric.Sink: it records what links and buffers did in one interval of a block.
func (r *recorder) Bin(block int, bin *fabric.Bin) {
	if r.gauge != nil {
		r.gauge.take(block, bin)
	}
	if r.bins == nil {
		return
	}
	bin = r.emptied(bin)
	links := func(yield func(record.LinkBin)) {
		for i := range bin.Links {
			l := &bin.Links[i]
			yield(record.LinkBin{
				Link: l.Link, Bytes: int64(l.Bytes), Packets: l.Packets,
				NoCredit: int64(l.NoCredit), BusyOutput: int64(l.BusyOutput),
				BusyCrossbar: int64(l.BusyCrossbar),
			})
		}
	}
	buffers := func(yield func(port, vc int32, held, peak int64)) {
		for i := range bin.Buffers {
			b := &bin.Buffers[i]
			yield(b.Port, b.VC, b.Held, int64(b.Peak))
		}
	}
	r.bins.Add(block, int64(bin.Begin), int64(bin.Interval), int64(bin.Next), links, buffers)
}

// Passage implements fabric.Sink: it records a packet's passage through a router.
func (r *recorder) Passage(block int, p *fabric.Passage) {
	nics := int32(r.plan.Fabric.Graph.NICsPerHost)
	r.passages.Add(block, record.Passage{
		Router: p.Router, Port: p.Port, VC: p.VC, OutPort: p.OutPort, OutVC: p.OutVC,
		Message: p.Message, SourceHost: p.Source / nics, DestinationHost: p.Destination / nics,
		Bytes: int64(p.Bytes), In: int64(p.In), Out: int64(p.Out),
		Order: int64(p.Order), Credit: int64(p.Credit), BusyOutput: int64(p.BusyOutput),
		BusyCrossbar: int64(p.BusyInside),
	})
}

func passageTime(p *record.Passage) int64 { return p.Out }

func comparePassages(a, b record.Passage) int {
	return cmp.Or(
		cmp.Compare(a.Out, b.Out), cmp.Compare(a.Router, b.Router), cmp.Compare(a.Port, b.Port),
		cmp.Compare(a.VC, b.VC), cmp.Compare(a.OutPort, b.OutPort),
	)
}

// Message implements node.Tracer: it records a delivered message.
func (r *recorder) Message(block int, m *node.Sent) {
	if !r.ofLook(int64(m.Delivered), m.Source, m.Dst) {
		return
	}
	row := record.Message{
		Message: fabric.MessageNumber(m.SourceHost, m.DstHost, m.Tag, int64(m.Size), int64(m.Sent)),
		Source:  m.Source, Destination: m.Dst, SourceHost: m.SourceHost, DestinationHost: m.DstHost,
		Kind: record.MessageNetwork, Tag: m.Tag, Bytes: int64(m.Size), Send: int64(m.Sent),
		Delivery: int64(m.Delivered),
	}
	if m.SourceHost == m.DstHost {
		row.Kind = record.MessageLocal
	} else {
		row.Distance = int32(r.plan.Topology.Distance(int(m.SourceHost), int(m.DstHost)))
	}
	if m.Collective() {
		row.Collective = string(collective.KindOf(m.Tag))
	}
	r.messages.Add(block, row)
}

func messageTime(m *record.Message) int64 { return m.Delivery }

func compareMessages(a, b record.Message) int {
	return cmp.Or(
		cmp.Compare(a.Delivery, b.Delivery), cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Destination, b.Destination), cmp.Compare(a.Send, b.Send),
		cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Bytes, b.Bytes),
		cmp.Compare(a.Collective, b.Collective),
	)
}

// Values of the tag column in the messages table of synthetic traffic.
const (
	tagMessage = iota // or a request
	tagReply
)

// carried implements reporter: it records a message of synthetic traffic.
func (r *recorder) carried(block int, m traffic.Carried) {
	if !r.ofLook(m.Delivered, m.Src, m.Dst) {
		return
	}
	row := record.Message{
		Message: m.Number, Source: m.Src, Destination: m.Dst, SourceHost: m.SrcHost,
		DestinationHost: m.DstHost,
		Kind:            record.MessageNetwork, Tag: tagMessage, Bytes: m.Size, Send: m.Sent, Delivery: m.Delivered,
	}
	if m.SrcHost != m.DstHost {
		row.Distance = int32(r.plan.Topology.Distance(int(m.SrcHost), int(m.DstHost)))
	}
	if m.Reply {
		row.Tag = tagReply
	}
	r.messages.Add(block, row)
}

// states maps the states of ranks to their words in tables.
var states = [...]string{
	node.Computing: record.StateCompute, node.InLibrary: record.StateOverhead, node.Sending: record.StateSend,
	node.AwaitingMessage: record.StateReceiveWait, node.Awaiting: record.StateWait,
}

// Span implements node.Tracer: it records a span of time in which a rank was in one state. Adjacent
// spans in the same state become one row.
func (r *recorder) Span(block int, s *node.Span) {
	if !r.ofLook(int64(s.End), s.Rank) {
		return
	}
	row := record.Span{
		Rank:  s.Rank,
		Begin: int64(s.Begin),
		End:   int64(s.End),
		State: states[s.State],
		Step:  s.Step,
		Peer:  s.Peer,
	}
	if s.Collective {
		row.Collective = string(collective.KindOf(s.Tag))
	}
	if last := r.spans.Last(block); s.Continues && last != nil && last.End == int64(s.Begin) {
		last.End = int64(s.End)
		return
	}
	r.spans.Add(block, row)
}

func spanTime(s *record.Span) int64 { return s.End }

func compareSpans(a, b record.Span) int {
	return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Begin, b.Begin))
}

// tell adds the hottest links to a progress report. r may be nil.
func (r *recorder) tell(p *Progress) {
	if r != nil {
		r.gauge.tell(p)
	}
}

// pace limits how often complete bins are written during a run. least is the minimum time between
// two writes. rest is the minimum ratio of that time to the time that a write takes. perLink, times
// the number of links, is the minimum time before the first write, which includes the tables of the
// network.
type pace struct {
	least   time.Duration
	rest    time.Duration // times as long as writing took
	perLink time.Duration
}

// watchedPace is for runs that a report is following, unwatchedPace for others: there the bins are
// only for a report that starts later, or for what a killed run leaves behind.
var watchedPace, unwatchedPace = pace{
	least: time.Second,
	rest:  10,
}, pace{
	least:   10 * time.Second,
	rest:    200,
	perLink: 100 * time.Microsecond,
}

// due reports whether it is time to write the complete bins. wall is the time since the run began.
func (r *recorder) due(f *record.Folder, wall time.Duration) bool {
	pace := unwatchedPace
	if f.Watched() {
		pace = watchedPace
	}
	if r.idle != nil && wall < pace.perLink*time.Duration(linksOf(r.plan.Fabric.Graph)) {
		return false
	}
	return wall-r.parted > max(pace.least, pace.rest*r.parting)
}

// progress writes the run's progress into the result folder, and from time to time the bins that
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

// writes reports whether the recorder, which may be nil, writes tables.
func (r *recorder) writes() bool { return r != nil && r.relay == nil }

// state goes over the tables as far as they have been written. r may be nil.
func (r *recorder) state(v *snapshot.Visitor) {
	if r == nil {
		return
	}
	if r.bins != nil {
		r.bins.State(v)
	}
	for _, s := range r.spools {
		s.State(v)
	}
}

// finish writes the remaining records. No block may be running.
func (r *recorder) finish(network network, end units.Time, about map[string]string) error {
	if r == nil {
		return nil
	}
	if !r.ended {
		network.EndObservation(int64(end))
	}
	var err error
	if r.bins != nil {
		err = r.bins.Finish(int64(end), about)
	}
	for _, s := range r.spools {
		err = errors.Join(err, s.Finish(about))
	}
	return err
}

// close discards what finish has not written. r may be nil.
func (r *recorder) close() {
	if r == nil {
		return
	}
	if r.bins != nil {
		r.bins.Close()
	}
	for _, s := range r.spools {
		s.Close()
	}
}

// recordIdle writes the tables of the network with all counters at 0, so that a report can show
// bins while the run goes on. The end of the run replaces them.
func recordIdle(f *record.Folder, p *plan.Plan) error {
	none := func(int) fabric.PortUse { return fabric.PortUse{} }
	return recordNetwork(f, linkMeter{plan: p, port: none, nic: none}, nil)
}
