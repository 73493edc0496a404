package fabricast

import (
	"slices"

	"fabricast/internal/units"
)

// Recording is what a run records beside its result, if it leaves a folder
// (docs/formats/result.md). It does not change what is predicted.
type Recording struct {
	Bins     BinRecording  `yaml:"bins,omitempty"`     // what links and buffers did, interval by interval
	Buffers  BufferLogging `yaml:"buffers,omitempty"`  // every packet through chosen routers
	Messages bool          `yaml:"messages,omitempty"` // every message
	Timeline bool          `yaml:"timeline,omitempty"` // what each rank did when
}

// BinRecording tells how long the intervals are.
type BinRecording struct {
	Interval string `yaml:"interval,omitempty" scalar:"true"` // auto, or a time; "": no bins
	Buffers  bool   `yaml:"buffers,omitempty"`                // also of every virtual channel's buffer
}

// IntervalAuto lets intervals grow with the run, so that there are not too many.
const IntervalAuto = "auto"

// BufferLogging chooses whose packets are logged, and when.
type BufferLogging struct {
	Routers []int `yaml:"routers,flow,omitempty"`
	From    Time  `yaml:"from,omitempty"`
	To      Time  `yaml:"to,omitempty"` // 0: to the end
}

// given tells whether there is anything to record.
func (r *Recording) given() bool {
	return r.Bins.Interval != "" || len(r.Buffers.Routers) > 0 || r.Messages || r.Timeline
}

// Words of Recording.Set.
const (
	recordBins       = "bins"
	recordBufferBins = "buffer-bins"
	recordMessages   = "messages"
	recordTimeline   = "timeline"
)

// RecordingNames are what Recording.Set knows.
var RecordingNames = []string{recordBins, recordBufferBins, recordMessages, recordTimeline}

// Set switches one of RecordingNames on; it returns false if there is none of that name.
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
	default:
		return false
	}
	return true
}

// interval is that of bins (ps), and whether it was chosen; 0 if it is automatic.
func (b *BinRecording) interval() (interval Time, chosen bool) {
	if b.Interval == "" || b.Interval == IntervalAuto {
		return 0, false
	}
	interval, _ = units.ParseTime(b.Interval) // Resolve has checked it
	return interval, true
}

// minInterval is the shortest interval: less than that is the time of single packets.
const minInterval = 10 * Nanosecond

func (v *validator) recording() {
	r := &v.e.Record
	if i := r.Bins.Interval; i != "" && i != IntervalAuto {
		t, err := units.ParseTime(i)
		v.demand(err == nil && t >= minInterval, "record.bins.interval", i, "auto, or a time of at least "+minInterval.String())
	}
	v.demand(!r.Bins.Buffers || r.Bins.Interval != "", "record.bins.interval", "", "auto, or a time such as 10us")
	routers := v.e.network.spec.Size().Routers
	for i, router := range r.Buffers.Routers {
		v.between(index("record.buffers.routers", i), router, 0, routers-1)
	}
	if b := &r.Buffers; b.From != 0 || b.To != 0 {
		v.demand(len(b.Routers) > 0, "record.buffers.routers", "", "the numbers of routers, such as [0, 5]")
		v.demand(b.From >= 0, "record.buffers.from", b.From, "a time of at least 0ps")
		v.demand(b.To == 0 || b.To > b.From, "record.buffers.to", b.To, "a time after record.buffers.from, "+b.From.String())
	}
	if v.e.HasTraffic() {
		const hint = "traffic has no ranks"
		if r.Messages {
			v.problem("record.messages", "messages of synthetic traffic", "bins or buffers", hint)
		}
		if r.Timeline {
			v.problem("record.timeline", "a timeline of synthetic traffic", "bins or buffers", hint)
		}
	}
}

// logs tells which routers' packets are logged; nil if none.
func (b *BufferLogging) logs() func(router int) bool {
	if len(b.Routers) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(b.Routers))
	return func(router int) bool {
		_, found := slices.BinarySearch(sorted, router)
		return found
	}
}
