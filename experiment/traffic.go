package experiment

import (
	"fmt"
	"reflect"
	"slices"

	"fabricast/internal/units"
	"fabricast/traffic"
)

// Traffic describes synthetic traffic, with which an experiment measures the throughput of a
// network instead of running a program (docs/traffic.md). Every NIC is a source. With a Load,
// sources generate messages at a rate that does not depend on the network (open loop). With a
// Window, each source has at most that many outstanding requests (closed loop).
type Traffic struct {
	Pattern Pattern `yaml:"pattern"`
	// Load is a share of the host link's bandwidth and includes headers.
	Load units.Fraction `yaml:"load,omitempty"`
	// Size is the payload of a message. Default: that of a full packet.
	Size  units.Bytes `yaml:"size,omitempty"`
	Sizes []SizeShare `yaml:"sizes,omitempty"` // a distribution of sizes, instead of Size
	// FlowSizes is a distribution of sizes by a name or a file, instead of Size.
	FlowSizes FlowSizes `yaml:"flow_sizes,omitempty"`
	// Arrivals selects the arrival process (open loop).
	Arrivals Arrivals `yaml:"arrivals,omitempty"`
	// Window is the number of outstanding requests per source (closed loop).
	Window  int         `yaml:"window,omitempty"`
	Reply   units.Bytes `yaml:"reply,omitempty"` // payload of a reply, for a closed loop
	Measure Measure     `yaml:"measure"`
	// Incast is an overlay of incasts, which are measured apart.
	Incast Incast `yaml:"incast,omitempty"`
}

// Pattern selects the destinations of messages. `fabricast patterns` lists the names.
type Pattern struct {
	Name string `yaml:"name" scalar:"true"`
	// Dims is the radix of each digit of a host ID, for tornado and neighbour. Default: the
	// topology's dimensions.
	Dims  []int          `yaml:"dims,flow,omitempty"`
	Hosts []int          `yaml:"hosts,flow,omitempty"` // IDs of the hot hosts of the pattern hot-spot
	Share units.Fraction `yaml:"share,omitempty"`      // share of messages that go to the hot hosts
	Block int            `yaml:"block,omitempty"`      // number of hosts per group of the pattern group
	// File contains the destination of each host, one per line, for permutation.
	File  string        `yaml:"file,omitempty"`
	Parts []PatternPart `yaml:"parts,omitempty"` // parts of the pattern mix
}

// PatternPart is a class of destinations in a mix. A destination host belongs to the first part
// whose conditions it satisfies, and to later ones with the same conditions. A part without
// conditions covers all remaining hosts.
type PatternPart struct {
	Share units.Fraction `yaml:"share"` // share of the messages; all shares add up to 1
	// Block is the number of hosts per block; destinations are in the source's own block.
	Block int `yaml:"block,omitempty"`
	// Dims are the dimensions of a torus of blocks. Hops then counts its links.
	Dims []int `yaml:"dims,flow,omitempty"`
	// Hops is the maximum distance, in links between routers or between blocks.
	Hops int `yaml:"hops,omitempty"`
	// Class is the priority of the part's messages with the arbiter priority. Greater is more
	// urgent.
	Class int `yaml:"class,omitempty"`
}

// SizeShare is one entry of a distribution of message sizes: Size, or all sizes from From to To.
// The shares of all entries add up to 1.
type SizeShare struct {
	Size  units.Bytes    `yaml:"size,omitempty"`
	From  units.Bytes    `yaml:"from,omitempty"`
	To    units.Bytes    `yaml:"to,omitempty"`
	Share units.Fraction `yaml:"share"`
}

// FlowSizes selects a cumulative distribution of message sizes: one with a name, or a file with the
// size in bytes and the percentage of the messages up to this size on each line.
type FlowSizes struct {
	Name string `yaml:"name,omitempty" scalar:"true"`
	File string `yaml:"file,omitempty"`
}

// Arrivals selects the random process that generates messages in an open loop.
type Arrivals struct {
	// Process is bernoulli (one trial per flit time), poisson or bursts.
	Process string `yaml:"process,omitempty" scalar:"true"`
	// Burst is the mean number of messages of a burst.
	Burst int            `yaml:"burst,omitempty"`
	Peak  units.Fraction `yaml:"peak,omitempty"` // load within a burst, for bursts
}

// Incast describes periodic incasts beside other traffic: at every multiple of Interval, FanIn random
// hosts send a message of Size to another random host.
type Incast struct {
	FanIn    int         `yaml:"fan_in,omitempty"`
	Size     units.Bytes `yaml:"size,omitempty"`
	Interval units.Time  `yaml:"interval,omitempty"`
}

// Measure selects the precision and the maximum duration of the measurement.
type Measure struct {
	// Precision is the half-width of the 95 % confidence intervals, as a share of the mean.
	Precision units.Fraction `yaml:"precision"`
	// Tolerance is the share of the offered traffic by which a stable network may fall behind.
	Tolerance units.Fraction `yaml:"tolerance"`
	// Bin is the minimum length of a bin. Default: the time of 16 messages back to back, and of 100
	// messages of the whole network.
	Bin units.Time `yaml:"bin,omitempty"`
	// Longest limits the warm-up and the measurement separately. Default: 200 batches.
	Longest units.Time `yaml:"longest,omitempty"`
}

// HasTraffic reports whether the experiment has synthetic traffic instead of a program.
func (e *Experiment) HasTraffic() bool {
	return e.positions.Has("traffic") || !reflect.ValueOf(e.Traffic).IsZero()
}

// traffic fills in the defaults of synthetic traffic.
func (f filler) traffic(t *Traffic, p Packet) {
	give(f, "traffic.pattern.name", &t.Pattern.Name, "uniform")
	if t.Sizes == nil && t.FlowSizes == (FlowSizes{}) {
		give(f, "traffic.size", &t.Size, p.MTU-p.Header)
	}
	give(f, "traffic.measure.precision", &t.Measure.Precision, 2*units.Percent)
	give(f, "traffic.measure.tolerance", &t.Measure.Tolerance, 1*units.Percent)
	if t.Window != 0 {
		return
	}
	give(f, "traffic.arrivals.process", &t.Arrivals.Process, traffic.Processes[traffic.Bernoulli])
	if t.Arrivals.Process == traffic.Processes[traffic.Bursts] {
		give(f, "traffic.arrivals.burst", &t.Arrivals.Burst, 8)
		give(f, "traffic.arrivals.peak", &t.Arrivals.Peak, units.Whole)
	}
}

// traffic checks the synthetic traffic as far as possible without the network.
func (v *validator) traffic() {
	t := &v.e.Traffic
	if v.e.OwnProgram() || !reflect.ValueOf(v.e.Workload).IsZero() {
		v.problem("traffic", "both traffic and a program", "one of them", "")
	}
	v.demand(v.e.Ranks == 0, "ranks", v.e.Ranks, "no number of ranks: traffic comes from all hosts")
	v.demand(
		v.e.Node.Ranks <= 1, "node.ranks", v.e.Node.Ranks,
		"1: traffic comes from all NICs, whatever runs on a host",
	)
	v.demand(
		v.e.Mapping.Order == MappingLinear && v.e.Mapping.File == "",
		"mapping",
		"a mapping of ranks",
		"none: traffic comes from all NICs, whatever runs on a host",
	)
	v.choice("traffic.pattern.name", t.Pattern.Name, traffic.Names()...)
	v.patternParams()
	v.loop(t)
	v.incast(t)
	v.sizes(t)
	v.demand(
		t.Measure.Precision > 0 && t.Measure.Precision < units.Whole, "traffic.measure.precision",
		t.Measure.Precision, "a share above 0 and below 1",
	)
	v.demand(
		t.Measure.Tolerance > 0 && t.Measure.Tolerance < units.Whole, "traffic.measure.tolerance",
		t.Measure.Tolerance, "a share above 0 and below 1",
	)
	v.demand(
		t.Measure.Bin >= 0 && t.Measure.Bin <= units.Second, "traffic.measure.bin", t.Measure.Bin,
		"a time from 0s to 1s",
	)
	v.demand(
		t.Measure.Longest >= 0 && t.Measure.Longest <= 100*units.Second, "traffic.measure.longest",
		t.Measure.Longest, "a time from 0s to 100s",
	)
}

// patternParams records parameters that do not exist in the selected pattern.
func (v *validator) patternParams() {
	p := v.e.Traffic.Pattern
	kind := traffic.Find(p.Name)
	if kind == nil {
		return
	}
	for _, param := range []struct {
		name  string
		given bool
	}{
		{"dims", p.Dims != nil},
		{"hosts", p.Hosts != nil},
		{"share", p.Share != 0},
		{"block", p.Block != 0},
		{"file", p.File != ""},
		{"parts", p.Parts != nil},
	} {
		v.demand(!param.given || slices.Contains(kind.Params, param.name),
			"traffic.pattern."+param.name, "a parameter that "+p.Name+" does not take", "none")
	}
	var shares []units.Fraction
	for _, part := range p.Parts {
		shares = append(shares, part.Share)
	}
	v.shares("traffic.pattern.parts", shares)
}

// loop checks the fields of the open or closed loop.
func (v *validator) loop(t *Traffic) {
	if t.Window != 0 {
		v.between("traffic.window", t.Window, 1, 1<<16)
		v.demand(t.Load == 0, "traffic.load", t.Load, "no load beside a window")
		v.demand(
			t.Arrivals == (Arrivals{}),
			"traffic.arrivals",
			"a process",
			"none beside a window: a source sends when a reply comes",
		)
		v.demand(
			t.Reply >= 0 && t.Reply <= maxSize, "traffic.reply", t.Reply,
			"a size from 0B to "+units.Bytes(maxSize).String(),
		)
		return
	}
	if !v.told("traffic.window") {
		v.demand(t.Reply == 0, "traffic.reply", t.Reply, "none without a window")
	}
	found := ""
	if t.Load != 0 || v.e.positions.Has("traffic.load") {
		found = t.Load.String()
	}
	if t.Load <= 0 || t.Load > units.Whole {
		v.problem(
			"traffic.load",
			found, "a share of the host link's bandwidth above 0, up to 1",
			"or traffic.window for a closed loop",
		)
	}
	v.word("traffic.arrivals.process", t.Arrivals.Process)
	bursts := t.Arrivals.Process == traffic.Processes[traffic.Bursts]
	if bursts {
		v.demand(t.Arrivals.Burst >= 1, "traffic.arrivals.burst", t.Arrivals.Burst, "a number of at least 1")
		v.demand(
			t.Arrivals.Peak >= t.Load && t.Arrivals.Peak <= units.Whole, "traffic.arrivals.peak",
			t.Arrivals.Peak, "a share from the load to 1",
		)
	} else {
		v.demand(
			t.Arrivals.Burst == 0 && t.Arrivals.Peak == 0, "traffic.arrivals", "a burst or a peak",
			"none without the process bursts",
		)
	}
}

// incast checks an overlay of incasts.
func (v *validator) incast(t *Traffic) {
	const path = "traffic.incast"
	if t.Incast == (Incast{}) && !v.e.positions.Has(path) {
		return
	}
	v.demand(
		v.e.Network.Ethernet(), path, "incasts", "none, or network.router.buffers: "+BuffersLossy+" or "+BuffersPFC,
	)
	v.demand(t.Window == 0, path, "incasts", "none beside a window")
	v.demand(t.Incast.FanIn >= 1, path+".fan_in", t.Incast.FanIn, "a number of senders of at least 1")
	v.payload(path+".size", t.Incast.Size)
	v.demand(
		t.Incast.Interval >= units.Nanosecond && t.Incast.Interval <= units.Second, path+".interval", t.Incast.Interval,
		"a time from 1ns to 1s",
	)
}

// maxSpread limits To - From of a SizeShare, in bytes.
const maxSpread = 16 * units.MiB

func (v *validator) sizes(t *Traffic) {
	if t.FlowSizes != (FlowSizes{}) {
		v.flowSizes(t)
		return
	}
	if t.Sizes == nil {
		v.payload("traffic.size", t.Size)
		return
	}
	v.demand(t.Size == 0, "traffic.size", t.Size, "none beside a distribution")
	if len(t.Sizes) == 0 {
		v.problem(
			"traffic.sizes",
			"",
			"a list such as [{size: 64B, share: 90%}, {from: 1KiB, to: 4KiB, share: 10%}]",
			"",
		)
	}
	var shares []units.Fraction
	for i, s := range t.Sizes {
		path := index("traffic.sizes", i)
		v.demand(s.Share > 0, path+".share", s.Share, "a share above 0")
		shares = append(shares, s.Share)
		if s.From == 0 && s.To == 0 {
			v.payload(path+".size", s.Size)
			continue
		}
		v.demand(s.Size == 0, path+".size", s.Size, "a size, or from and to")
		v.payload(path+".from", s.From)
		v.demand(s.To >= s.From && s.To-s.From <= maxSpread && s.To <= maxSize, path+".to", s.To,
			fmt.Sprintf("a size from %s to %s more", s.From, maxSpread))
	}
	v.shares("traffic.sizes", shares)
}

// flowSizes checks a distribution by a name or a file; what is in the file is checked when it is read.
func (v *validator) flowSizes(t *Traffic) {
	v.demand(t.Size == 0, "traffic.size", t.Size, "none beside flow_sizes")
	v.demand(t.Sizes == nil, "traffic.sizes", "a distribution", "none beside flow_sizes")
	if t.FlowSizes.File == "" {
		v.word("traffic.flow_sizes.name", t.FlowSizes.Name)
		return
	}
	v.demand(t.FlowSizes.Name == "", "traffic.flow_sizes.name", t.FlowSizes.Name, "none beside a file")
}

func (v *validator) payload(path string, size units.Bytes) {
	v.demand(size >= 1 && size <= maxSize, path, size, "a size from 1B to "+units.Bytes(maxSize).String())
}

// shares reports an error if the shares do not add up to 1. It allows a difference of 0.001 for
// rounding.
func (v *validator) shares(path string, list []units.Fraction) {
	sum := units.Fraction(0)
	for _, s := range list {
		sum += min(s, 2*units.Whole)
	}
	v.demand(
		len(list) == 0 || sum >= units.Whole-units.Whole/1000 && sum <= units.Whole+units.Whole/1000,
		path, "shares of "+sum.String()+" in all", "shares that add up to 1",
	)
}
