package recording

import (
	"cmp"
	"errors"
	"time"

	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/meter"
	"fabricast/internal/plan"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/record"
	"fabricast/topology"
	"fabricast/traffic"
)

// Recorder writes the events that the network and the ranks report into the tables of a result
// folder, and holds the hottest links for progress reports.
type Recorder struct {
	folder   *record.Folder
	plan     *plan.Plan
	what     experiment.Recording
	blocks   int // number of partition blocks in all processes
	own      int // number of blocks in this process, which has the first ones
	bins     *record.BinWriter
	passages *record.Spool[record.Passage]
	messages *record.Spool[record.Message]
	spans    *record.Spool[record.Span]
	steps    *record.Spool[step]
	divided  *record.Spool[record.Division]
	hops     *record.Spool[record.Hop] // nil unless full
	spools   []spool                   // the tables in use
	// writes the network's tables with all counters at 0, for reports during the run; nil once done
	idle    func() error
	parted  time.Duration  // time of the run at which the last part of bins was written
	parting time.Duration  // duration of that write
	parts   int            // number of bins written in parts
	from    int64          // ps: events that ended earlier are not recorded
	ranks   map[int32]bool // ranks whose messages and states are recorded; nil: all
	gauge   *gauge         // nil unless progress reports include links
	relay   *relay         // used if another process writes the tables; else nil
	held    *held          // used if reports may be rolled back; else nil
	to      reporter       // receives the reports: relay, held or the recorder itself
	ended   bool           // the observation has ended in all processes
	packets bool           // the network is one of packets that wait for credits
	lossy   bool           // the network drops or pauses packets
	senders *senders       // of the hops of packets; nil if these are not recorded
}

// spool is a table whose rows are written in order of time.
type spool interface {
	Window(block int, begin int64)
	State(v *snapshot.Visitor)
	Finish(about map[string]string) error
	Close()
}

// reporter receives the reports of the network and the jobs.
type reporter interface {
	fabric.Sink
	node.Tracer
	carried(block int, m traffic.Carried)
	// wait registers a function for the messages that wait in a block of this process. They are
	// reported when their rank receives them.
	wait(waiting func(block int) int64)
}

// addSpool creates a table in a folder, with rows in the order of compare: by time and number first.
func addSpool[Row any](
	r *Recorder, name string, time func(*Row) int64, number func(*Row) int32, compare func(a, b *Row) int,
) (*record.Spool[Row], error) {
	s, err := record.NewSpool(r.folder, name, r.blocks, time, compare)
	if err == nil {
		s.ByNumber(number)
		r.spools = append(r.spools, s)
	}
	return s, err
}

// Options say what to record of a run, and where.
type Options struct {
	What     experiment.Recording
	Recorded bool           // the run has a result folder
	Folder   *record.Folder // the result folder, in the process that writes it; else nil
	Hottest  int            // number of links in progress reports
	Group    cluster.Group  // processes that share the run; nil if there is one process
	// TakenBack says that the run may be rolled back to earlier windows.
	TakenBack bool
	// Events that ended before From (ps) are not recorded. If Ranks is not nil, messages and states
	// of other ranks are not recorded.
	From  units.Time
	Ranks []int
}

// Division is the part of this process in the partition blocks of a run: Own blocks of All, from
// number First on.
type Division struct{ First, Own, All int }

// New creates the tables that the experiment requests, if the run has a result folder. It returns
// nil if there is nothing to record or to report.
//
// If several processes share the run, the first one writes the tables; the recorders of the others
// send the reports of their blocks. credits says that the network is one of packets that wait for
// credits.
func New(o Options, p *plan.Plan, credits bool, d Division) (*Recorder, error) {
	tables := o.Recorded && o.What.Given()
	r := &Recorder{
		plan: p, what: o.What, own: d.Own, blocks: d.All,
		packets: credits, lossy: p.Experiment.Network.Ethernet(),
	}
	switch {
	case !tables && o.Hottest == 0:
		return nil, nil
	case !tables:
		r.what = experiment.Recording{}
	case cluster.Several(o.Group):
		if !cluster.First(o.Group) {
			r.relay = &relay{first: d.First, blocks: make([]relayed, d.Own)}
			if r.to = r.relay; o.TakenBack {
				r.held = newHeld(d.First, r.relay.pass)
				r.to = r.held
			}
			return r, nil
		}
	}
	r.gauge = newGauge(p, r.blocks, o.Hottest)
	if r.to = r; !tables {
		return r, nil
	}
	r.folder = o.Folder
	r.narrow(o.From, o.Ranks)
	if o.TakenBack { // r is the recorder of the run's first part
		r.held = newHeld(0, func(data []byte, begin int64) { r.takeBlock(0, data, begin) })
		r.to = r.held
	}
	return r, r.addTables()
}

// addTables creates the tables in the folder.
func (r *Recorder) addTables() error {
	f, p, what := r.folder, r.plan, &r.what
	if what.Causes != "" && r.packets {
		var err error
		if r.divided, err = addSpool(r, record.CausesTable, dividedTime, dividedNumber, compareDivided); err != nil {
			return err
		}
	}
	if r.full() {
		r.senders = newSenders(p)
		var err error
		if r.hops, err = addSpool(r, record.HopsTable, hopTime, hopNumber, compareHops); err != nil {
			return err
		}
	}
	var errs [4]error
	if what.Bins.Interval != "" {
		interval, chosen := what.Bins.Length()
		if !chosen {
			interval = FirstInterval(p)
		}
		g := p.Fabric.Graph
		r.bins = f.NewBins(
			r.blocks,
			p.QueuesOfPort(),
			int64(interval),
			chosen,
			what.Bins.Buffers,
			func(port int32) (router, local int32) {
				router = g.Ports[port].Router
				return router, port - g.PortBase[router]
			},
		)
		r.idle = func() error { return writeIdle(f, p) }
	}
	if len(what.Buffers.Routers) > 0 {
		r.passages, errs[0] = addSpool(r, record.BufferLogTable, passageTime, passageNumber, comparePassages)
	}
	if what.Messages {
		r.messages, errs[1] = addSpool(r, record.MessagesTable, messageTime, messageNumber, compareMessages)
	}
	if what.Timeline {
		r.spans, errs[2] = addSpool(r, record.TimelineTable, spanTime, spanNumber, compareSpans)
	}
	if what.Causes != "" && !p.Experiment.HasTraffic() {
		r.steps, errs[3] = record.NewSpoolAs(r.folder, record.StepsTable, r.blocks, stepTime, compareSteps, stepRow)
		if errs[3] == nil {
			r.steps.ByNumber(stepNumber)
			r.spools = append(r.spools, r.steps)
		}
	}
	return errors.Join(errs[:]...)
}

// FirstInterval returns the initial interval (ps) of automatic bins: at least 32 packet times, and
// a power of two in microseconds.
func FirstInterval(p *plan.Plan) units.Time {
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

// Network is a network whose blocks report events.
type Network interface {
	Observe(o fabric.Observation)
	EndObservation(end int64)
}

// Jobs are the jobs on the network.
type Jobs interface {
	// Trace makes ranks report their states and messages.
	Trace(t node.Tracer, what node.Traced)
	// Log makes measured traffic report its messages.
	Log(carried func(block int, m traffic.Carried))
	// Waiting is node.World.Waiting.
	Waiting(block int) int64
}

// Attach registers the recorder as observer of the network and of its jobs, and for the reports of
// other processes. It must be called in all processes before the simulation starts. r may be nil.
func (r *Recorder) Attach(network Network, on Jobs, c *cluster.Control) {
	if r == nil {
		return
	}
	reports := cluster.Register(c, r.takeReports)
	if r.relay != nil {
		c.Source(r.relay.pending, func() { reports.Send(0, false, struct{}{}, r.relay.reports()) })
	}
	o := fabric.Observation{
		Sink:    r.to,
		Routers: r.what.Buffers.Logs(),
		LogFrom: r.what.Buffers.From,
		LogTo:   r.what.Buffers.To,
		Causes:  r.what.Causes != "" && r.packets,
		Hops:    r.full(),
	}
	if o.LogTo == 0 {
		o.LogTo = units.Time(fabric.Forever)
	}
	if r.what.Bins.Interval != "" || r.gauge != nil {
		interval, chosen := r.what.Bins.Length()
		if o.Interval, o.Buffers = interval, r.what.Bins.Buffers; !chosen {
			o.Interval, o.MaxBins = FirstInterval(r.plan), mostBins(meter.Count(r.plan.Fabric.Graph))
		}
	}
	network.Observe(o)
	on.Trace(r.to, node.Traced{Spans: r.what.Timeline, Messages: r.what.Messages, Steps: r.what.Causes != "" && !r.plan.Experiment.HasTraffic()})
	if r.what.Messages {
		r.to.wait(on.Waiting)
		on.Log(r.to.carried)
	}
}

// wait implements reporter.
func (r *Recorder) wait(waiting func(block int) int64) {
	r.messages.Waiting(func(block int) int64 {
		if block < r.own {
			return waiting(block)
		}
		return fabric.Forever // another process has taken its own into account
	})
}

// Window implements fabric.Sink: a block of routers, of which one worker simulates several, begins a window at `begin`
// (ps). The tables of the result learn how far it has come.
func (r *Recorder) Window(block int, begin int64) {
	for _, s := range r.spools {
		s.Window(block, begin)
	}
}

// Bin implements fabric.Sink: it records the activity of links and buffers in one interval of a
// block.
func (r *Recorder) Bin(block int, bin *fabric.Bin) {
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
func (r *Recorder) Passage(block int, p *fabric.Passage) {
	nics := int32(r.plan.Fabric.Graph.NICsPerHost)
	r.passages.Add(block, &record.Passage{
		Router: p.Router, Port: p.Port, VC: p.VC, OutPort: p.OutPort, OutVC: p.OutVC,
		Message: p.Message, SourceHost: p.Source / nics, DestinationHost: p.Destination / nics,
		Bytes: int64(p.Bytes), In: int64(p.In), Out: int64(p.Out),
		Order: int64(p.Order), Credit: int64(p.Credit), BusyOutput: int64(p.BusyOutput),
		BusyCrossbar: int64(p.BusyInside),
	})
}

func passageTime(p *record.Passage) int64 { return p.Out }

func passageNumber(p *record.Passage) int32 { return p.Router }

func comparePassages(a, b *record.Passage) int {
	return cmp.Or(
		cmp.Compare(a.Out, b.Out), cmp.Compare(a.Router, b.Router), cmp.Compare(a.Port, b.Port),
		cmp.Compare(a.VC, b.VC), cmp.Compare(a.OutPort, b.OutPort),
	)
}

// Message implements node.Tracer: it records a delivered message.
func (r *Recorder) Message(block int, m *node.Sent) {
	if !r.looksAt(int64(m.Delivered), m.Source, m.Dst) {
		return
	}
	row := record.Message{
		Message: fabric.MessageNumber(m.SourceHost, m.DstHost, m.Tag, int64(m.Size), int64(m.Sent)),
		Source:  m.Source, Destination: m.Dst, SourceHost: m.SourceHost, DestinationHost: m.DstHost,
		Kind: record.MessageNetwork, Tag: m.Tag, Bytes: int64(m.Size), Send: int64(m.Sent),
		Delivery: int64(m.Delivered), Class: int32(m.Class),
	}
	if m.SourceHost == m.DstHost {
		row.Kind = record.MessageLocal
	} else {
		row.Distance = int32(r.plan.Topology.Distance(int(m.SourceHost), int(m.DstHost)))
	}
	if m.Collective() {
		row.Collective = string(collective.KindOf(m.Tag))
	}
	r.messages.Add(block, &row)
}

func messageTime(m *record.Message) int64 { return m.Delivery }

func messageNumber(m *record.Message) int32 { return m.Source }

func compareMessages(a, b *record.Message) int {
	return cmp.Or(
		cmp.Compare(a.Delivery, b.Delivery), cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Destination, b.Destination), cmp.Compare(a.Send, b.Send),
		cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Bytes, b.Bytes),
		cmp.Compare(a.Collective, b.Collective), cmp.Compare(a.Class, b.Class),
	)
}

// Values of the tag column in the messages table of synthetic traffic.
const (
	tagMessage = iota // a message or a request
	tagReply
)

// carried implements reporter: it records a message of synthetic traffic.
func (r *Recorder) carried(block int, m traffic.Carried) {
	if !r.looksAt(m.Delivered, m.Src, m.Dst) {
		return
	}
	row := record.Message{
		Message: m.Number, Source: m.Src, Destination: m.Dst, SourceHost: m.SrcHost,
		DestinationHost: m.DstHost,
		Kind:            record.MessageNetwork, Tag: tagMessage, Bytes: m.Size, Send: m.Sent, Delivery: m.Delivered,
		Class: int32(m.Class),
	}
	if m.SrcHost != m.DstHost {
		row.Distance = int32(r.plan.Topology.Distance(int(m.SrcHost), int(m.DstHost)))
	}
	if m.Reply {
		row.Tag = tagReply
	}
	r.messages.Add(block, &row)
}

// states maps the states of ranks to their words in tables.
var states = [...]string{
	node.Computing: record.StateCompute, node.InLibrary: record.StateOverhead, node.Sending: record.StateSend,
	node.AwaitingMessage: record.StateReceiveWait, node.Awaiting: record.StateWait,
}

// Span implements node.Tracer: it records a period in which a rank was in one state. Adjacent
// periods in the same state become one row.
func (r *Recorder) Span(block int, s *node.Span) {
	if !r.looksAt(int64(s.End), s.Rank) {
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
	r.spans.Add(block, &row)
}

func spanTime(s *record.Span) int64 { return s.End }

func spanNumber(s *record.Span) int32 { return s.Rank }

func compareSpans(a, b *record.Span) int {
	return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Begin, b.Begin))
}

// Hottest returns the links with the highest utilization in the latest interval, with its start and
// end; none if links are not counted. r may be nil.
func (r *Recorder) Hottest() (links []LinkLoad, from, to units.Time) {
	if r == nil || r.gauge == nil {
		return nil, 0, 0
	}
	return r.gauge.hottest()
}

// pace limits how often complete bins are written during a run. least is the minimum time between
// two writes. rest is the minimum ratio of that time to the duration of a write. perLink, times the
// number of links, is the minimum time before the first write, which includes the tables of the
// network.
type pace struct {
	least   time.Duration
	rest    time.Duration // minimum ratio
	perLink time.Duration
}

// watchedPace is for runs with a report that follows them. unwatchedPace is for others, whose bins
// serve only a report that starts later, or remain if the run is killed.
var watchedPace, unwatchedPace = pace{
	least: time.Second,
	rest:  10,
}, pace{
	least:   10 * time.Second,
	rest:    200,
	perLink: 100 * time.Microsecond,
}

// due reports whether it is time to write the complete bins. wall is the time since the start of
// the run.
func (r *Recorder) due(f *record.Folder, wall time.Duration) bool {
	pace := unwatchedPace
	if f.Watched() {
		pace = watchedPace
	}
	if r.idle != nil && wall < pace.perLink*time.Duration(meter.Count(r.plan.Fabric.Graph)) {
		return false
	}
	return wall-r.parted > max(pace.least, pace.rest*r.parting)
}

// Progress writes the run's progress to the result folder, and from time to time the complete bins.
func (r *Recorder) Progress(f *record.Folder, p record.Progress) {
	if f == nil {
		return
	}
	if wall := time.Duration(p.Wall * float64(time.Second)); r != nil && r.bins != nil && r.due(f, wall) {
		if r.idle != nil {
			_ = r.idle() // Finish reports the error
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

// Writes reports whether the recorder, which may be nil, writes tables.
func (r *Recorder) Writes() bool { return r != nil && r.relay == nil }

// State visits the state of the tables, as far as they have been written. r may be nil.
func (r *Recorder) State(v *snapshot.Visitor) {
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

// Finish writes the remaining records. No block may be running.
func (r *Recorder) Finish(network Network, end units.Time, about map[string]string) error {
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
	if err == nil && r.hops != nil {
		err = r.writeHolders(about)
	}
	return err
}

// Close discards the data that Finish has not written. r may be nil.
func (r *Recorder) Close() {
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

// writeIdle writes the tables of the network with all counters at 0, so that a report can show bins
// during the run. They are replaced at the end of the run.
func writeIdle(f *record.Folder, p *plan.Plan) error {
	none := func(int) fabric.PortUse { return fabric.PortUse{} }
	return meter.Links{Plan: p, Port: none, NIC: none}.Write(f, nil)
}
