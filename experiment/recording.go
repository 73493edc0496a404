package experiment

import (
	"slices"

	"fabricast/internal/units"
)

// Recording selects what a run with a result folder records in addition to its result
// (docs/formats/result.md). It does not change the prediction.
type Recording struct {
	// Bins records the activity of links and buffers per interval of time.
	Bins     BinRecording  `yaml:"bins,omitempty"`
	Buffers  BufferLogging `yaml:"buffers,omitempty"`  // records every packet that passes through the selected routers
	Messages bool          `yaml:"messages,omitempty"` // records every message
	Timeline bool          `yaml:"timeline,omitempty"` // records the state of each rank over time
	// Causes records why ranks wait, from which fabricast why finds the critical path: path, or "". full also
	// records which packets held what messages waited for, in networks with credits.
	Causes string `yaml:"causes,omitempty" scalar:"true"`
	// Flows records windows and rates over time, in networks that drop or pause packets.
	Flows FlowRecording `yaml:"flows,omitempty"`
}

// FlowRecording selects flows: those to which most bytes are posted, of all or of those between some
// hosts.
type FlowRecording struct {
	Count int   `yaml:"count,omitempty"`     // 0: none, or defaultFlows if From or To is given
	From  []int `yaml:"from,flow,omitempty"` // hosts where flows begin; none: all
	To    []int `yaml:"to,flow,omitempty"`   // hosts where flows end; none: all
}

// Numbers of flows.
const (
	defaultFlows = 16
	mostFlows    = 256
)

// Number returns how many flows are selected at most.
func (f *FlowRecording) Number() int {
	if f.Count == 0 && len(f.From)+len(f.To) > 0 {
		return defaultFlows
	}
	return f.Count
}

// Values of Recording.Causes.
const (
	CausesPath = "path" // what the critical path needs
	CausesFull = "full" // also which packets held what messages waited for
)

// BinRecording selects the length of intervals, called bins, and what is recorded in each.
type BinRecording struct {
	Interval string `yaml:"interval,omitempty" scalar:"true"` // auto, or a time; "" disables recording
	// Buffers adds the occupancy of the buffer of every virtual channel.
	Buffers bool `yaml:"buffers,omitempty"`
}

// IntervalAuto is the value of BinRecording.Interval that makes intervals longer as the run
// proceeds, so that their number stays small.
const IntervalAuto = "auto"

// BufferLogging selects the routers whose packets are recorded, and the time span in picoseconds.
type BufferLogging struct {
	Routers []int      `yaml:"routers,flow,omitempty"`
	From    units.Time `yaml:"from,omitempty"`
	To      units.Time `yaml:"to,omitempty"` // 0: until the end of the run
}

// Given reports whether anything is to be recorded.
func (r *Recording) Given() bool {
	return r.Bins.Interval != "" || len(r.Buffers.Routers) > 0 || r.Messages || r.Timeline || r.Causes != "" ||
		r.Flows.Number() > 0
}

// Names that Recording.Set accepts.
const (
	recordBins       = "bins"
	recordBufferBins = "buffer-bins"
	recordMessages   = "messages"
	recordTimeline   = "timeline"
	recordCauses     = "causes"
	recordHolders    = "causes=full"
	recordFlows      = "flows"
)

// RecordingNames lists the names that Recording.Set accepts.
var RecordingNames = []string{
	recordBins, recordBufferBins, recordMessages, recordTimeline, recordCauses, recordHolders, recordFlows,
}

// Set enables one kind of recording by its name. It returns false for an unknown name.
func (r *Recording) Set(name string) bool {
	switch name {
	case recordBins, recordBufferBins:
		if r.Bins.Interval == "" {
			r.Bins.Interval = IntervalAuto
		}
		r.Bins.Buffers = r.Bins.Buffers || name == recordBufferBins
	case recordMessages:
		r.Messages = true
	case recordTimeline:
		r.Timeline = true
	case recordCauses:
		if r.Causes == "" {
			r.Causes = CausesPath
		}
	case recordHolders:
		r.Causes = CausesFull
	case recordFlows:
		if r.Flows.Count == 0 {
			r.Flows.Count = defaultFlows
		}
	default:
		return false
	}
	return true
}

// Length returns the length of bins in picoseconds. If the length is automatic or there are no
// bins, it returns 0 and false.
func (b *BinRecording) Length() (interval units.Time, chosen bool) {
	if b.Interval == "" || b.Interval == IntervalAuto {
		return 0, false
	}
	interval, _ = units.ParseTime(b.Interval) // valid, since Resolve has checked it
	return interval, true
}

// minInterval is the shortest allowed bin length. Shorter bins would only show single packets.
const minInterval = 10 * units.Nanosecond

func (v *validator) recording() {
	r := &v.e.Record
	if i := r.Bins.Interval; i != "" && i != IntervalAuto {
		t, err := units.ParseTime(i)
		v.demand(
			err == nil && t >= minInterval, "record.bins.interval", i,
			"auto, or a time of at least "+minInterval.String(),
		)
	}
	v.demand(
		!r.Bins.Buffers || r.Bins.Interval != "", "record.bins.interval", "",
		"auto, or a time such as 10us",
	)
	routers := v.e.network.spec.Size().Routers
	for i, router := range r.Buffers.Routers {
		v.between(index("record.buffers.routers", i), router, 0, routers-1)
	}
	if b := &r.Buffers; b.From != 0 || b.To != 0 {
		v.demand(len(b.Routers) > 0, "record.buffers.routers", "", "the numbers of routers, such as [0, 5]")
		v.demand(b.From >= 0, "record.buffers.from", b.From, "a time of at least 0ps")
		v.demand(
			b.To == 0 || b.To > b.From, "record.buffers.to", b.To,
			"a time after record.buffers.from, "+b.From.String(),
		)
	}
	v.demand(
		!r.Timeline || !v.e.HasTraffic(), "record.timeline", "a timeline of synthetic traffic",
		"bins, buffers or messages: traffic has no ranks",
	)
	v.demand(
		r.Causes == "" || r.Causes == CausesPath || r.Causes == CausesFull, "record.causes", r.Causes,
		CausesPath+" or "+CausesFull,
	)
	v.flowRecording(&r.Flows)
}

func (v *validator) flowRecording(f *FlowRecording) {
	v.demand(
		f.Number() == 0 || v.e.Network.Ethernet(), "record.flows", "flows",
		"none, or network.router.buffers: "+BuffersLossy+" or "+BuffersPFC+", whose NICs have windows and rates",
	)
	v.between("record.flows.count", f.Count, 0, mostFlows)
	hosts := v.e.network.spec.Size().Hosts
	for _, end := range []struct {
		name string
		list []int
	}{{"from", f.From}, {"to", f.To}} {
		for i, host := range end.list {
			v.between(index("record.flows."+end.name, i), host, 0, hosts-1)
		}
	}
}

// Logs returns a function that reports whether the packets of a router are recorded, or nil if no
// router is selected.
func (b *BufferLogging) Logs() func(router int) bool {
	if len(b.Routers) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(b.Routers))
	return func(router int) bool {
		_, found := slices.BinarySearch(sorted, router)
		return found
	}
}
