package fabricast

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/topology"
	"fabricast/traffic"
)

// Traffic is synthetic traffic, by which an experiment measures what a network
// bears instead of running a program (docs/traffic.md). Every NIC is a source. With a
// Load the sources take no notice of the network (open loop); with a Window each has
// so many requests under way (closed loop).
type Traffic struct {
	Pattern  Pattern     `yaml:"pattern"`
	Load     Fraction    `yaml:"load,omitempty"`     // of the bandwidth of the host link, wire bytes counted
	Size     Bytes       `yaml:"size,omitempty"`     // payload of a message; default: that of a full packet
	Sizes    []SizeShare `yaml:"sizes,omitempty"`    // instead of Size: a distribution
	Arrivals Arrivals    `yaml:"arrivals,omitempty"` // open loop: how messages follow one another
	Window   int         `yaml:"window,omitempty"`   // closed loop: requests of a source that are under way
	Reply    Bytes       `yaml:"reply,omitempty"`    // closed loop: payload of a reply
	Measure  Measure     `yaml:"measure"`
}

// Pattern says where messages go. `fabricast patterns` lists them.
type Pattern struct {
	Name  string        `yaml:"name" scalar:"true"`
	Dims  []int         `yaml:"dims,flow,omitempty"`  // tornado, neighbour: radix of each digit of a host's number; default: the topology's dimensions
	Hosts []int         `yaml:"hosts,flow,omitempty"` // hot-spot: the hot hosts
	Share Fraction      `yaml:"share,omitempty"`      // hot-spot: of the messages that go to them
	Block int           `yaml:"block,omitempty"`      // group: hosts of a group
	File  string        `yaml:"file,omitempty"`       // permutation: a destination for each host, one a line
	Parts []PatternPart `yaml:"parts,omitempty"`      // mix
}

// PatternPart is a class of destinations in a mix. A host belongs to the first
// part whose conditions it meets; a part without conditions has all the rest.
type PatternPart struct {
	Share Fraction `yaml:"share"`               // of the messages; all shares add up to 1
	Block int      `yaml:"block,omitempty"`     // hosts of a block: within the source's own block
	Dims  []int    `yaml:"dims,flow,omitempty"` // dimensions of a torus of blocks, in which hops count
	Hops  int      `yaml:"hops,omitempty"`      // greatest distance in links between routers, or between blocks
	Class int      `yaml:"class,omitempty"`     // of its messages, for the arbiter priority: the greater, the more urgent
}

// SizeShare is a part of a distribution of sizes: Size, or all sizes from From to To. All shares add up to 1.
type SizeShare struct {
	Size  Bytes    `yaml:"size,omitempty"`
	From  Bytes    `yaml:"from,omitempty"`
	To    Bytes    `yaml:"to,omitempty"`
	Share Fraction `yaml:"share"`
}

// Arrivals is the process by which an open loop generates messages.
type Arrivals struct {
	Process string   `yaml:"process,omitempty" scalar:"true"` // bernoulli (in each flit time), poisson or bursts
	Burst   int      `yaml:"burst,omitempty"`                 // bursts: mean number of messages
	Peak    Fraction `yaml:"peak,omitempty"`                  // bursts: load within a burst
}

// Measure says how long to measure.
type Measure struct {
	Precision Fraction `yaml:"precision"`         // half-width of the 95 % confidence intervals, as a share of the mean
	Tolerance Fraction `yaml:"tolerance"`         // share of the offered traffic by which a stable network may fall behind
	Bin       Time     `yaml:"bin,omitempty"`     // least length of a bin; default: 16 messages back to back, 100 of the whole network
	Longest   Time     `yaml:"longest,omitempty"` // of warm-up and measurement each; default: 200 batches
}

// HasTraffic tells whether the experiment is about synthetic traffic and not a program.
func (e *Experiment) HasTraffic() bool {
	return e.positions.Has("traffic") || !reflect.ValueOf(e.Traffic).IsZero()
}

// fillTraffic sets what was not given.
func (f filler) traffic(t *Traffic, p Packet) {
	give(f, "traffic.pattern.name", &t.Pattern.Name, "uniform")
	if t.Sizes == nil {
		give(f, "traffic.size", &t.Size, p.MTU-p.Header)
	}
	give(f, "traffic.measure.precision", &t.Measure.Precision, 2*Percent)
	give(f, "traffic.measure.tolerance", &t.Measure.Tolerance, 1*Percent)
	if t.Window != 0 {
		return
	}
	give(f, "traffic.arrivals.process", &t.Arrivals.Process, traffic.Processes[traffic.Bernoulli])
	if t.Arrivals.Process == traffic.Processes[traffic.Bursts] {
		give(f, "traffic.arrivals.burst", &t.Arrivals.Burst, 8)
		give(f, "traffic.arrivals.peak", &t.Arrivals.Peak, Whole)
	}
}

// traffic checks what can be checked without the network.
func (v *validator) traffic() {
	t := &v.e.Traffic
	if v.e.ownProgram() || !reflect.ValueOf(v.e.Workload).IsZero() {
		v.problem("traffic", "both traffic and a program", "one of them", "")
	}
	v.demand(v.e.Ranks == 0, "ranks", v.e.Ranks, "no number of ranks: traffic comes from all hosts")
	v.demand(v.e.Node.Ranks <= 1, "node.ranks", v.e.Node.Ranks, "1: traffic comes from all NICs, whatever runs on a host")
	v.demand(v.e.Mapping == Mapping{Order: MappingLinear}, "mapping", "a mapping of ranks", "none: traffic comes from all NICs, whatever runs on a host")
	v.choice("traffic.pattern.name", t.Pattern.Name, traffic.Names()...)
	v.patternParams()
	v.loop(t)
	v.sizes(t)
	v.demand(t.Measure.Precision > 0 && t.Measure.Precision < Whole, "traffic.measure.precision", t.Measure.Precision, "a share above 0 and below 1")
	v.demand(t.Measure.Tolerance > 0 && t.Measure.Tolerance < Whole, "traffic.measure.tolerance", t.Measure.Tolerance, "a share above 0 and below 1")
	v.demand(t.Measure.Bin >= 0 && t.Measure.Bin <= Second, "traffic.measure.bin", t.Measure.Bin, "a time from 0s to 1s")
	v.demand(t.Measure.Longest >= 0 && t.Measure.Longest <= 100*Second, "traffic.measure.longest", t.Measure.Longest, "a time from 0s to 100s")
}

// patternParams refuses parameters that the pattern does not take.
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
	var shares []Fraction
	for _, part := range p.Parts {
		shares = append(shares, part.Share)
	}
	v.shares("traffic.pattern.parts", shares)
}

// loop checks how the sources are driven.
func (v *validator) loop(t *Traffic) {
	if t.Window != 0 {
		v.between("traffic.window", t.Window, 1, 1<<16)
		v.demand(t.Load == 0, "traffic.load", t.Load, "no load beside a window")
		v.demand(t.Arrivals == (Arrivals{}), "traffic.arrivals", "a process", "none beside a window: a source sends when a reply comes")
		v.demand(t.Reply >= 0 && t.Reply <= maxSize, "traffic.reply", t.Reply, "a size from 0B to "+Bytes(maxSize).String())
		return
	}
	v.demand(t.Reply == 0, "traffic.reply", t.Reply, "none without a window")
	found := ""
	if t.Load != 0 || v.e.positions.Has("traffic.load") {
		found = t.Load.String()
	}
	if t.Load <= 0 || t.Load > Whole {
		v.problem("traffic.load", found, "a share of the host link's bandwidth above 0, up to 1", "or traffic.window for a closed loop")
	}
	v.choice("traffic.arrivals.process", t.Arrivals.Process, traffic.Processes...)
	bursts := t.Arrivals.Process == traffic.Processes[traffic.Bursts]
	if bursts {
		v.demand(t.Arrivals.Burst >= 1, "traffic.arrivals.burst", t.Arrivals.Burst, "a number of at least 1")
		v.demand(t.Arrivals.Peak >= t.Load && t.Arrivals.Peak <= Whole, "traffic.arrivals.peak", t.Arrivals.Peak, "a share from the load to 1")
	} else {
		v.demand(t.Arrivals.Burst == 0 && t.Arrivals.Peak == 0, "traffic.arrivals", "a burst or a peak", "none without the process bursts")
	}
}

// maxSpread bounds the width of a class of sizes.
const maxSpread = 16 * MiB

func (v *validator) sizes(t *Traffic) {
	if t.Sizes == nil {
		v.payload("traffic.size", t.Size)
		return
	}
	v.demand(t.Size == 0, "traffic.size", t.Size, "none beside a distribution")
	if len(t.Sizes) == 0 {
		v.problem("traffic.sizes", "", "a list such as [{size: 64B, share: 90%}, {from: 1KiB, to: 4KiB, share: 10%}]", "")
	}
	var shares []Fraction
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

func (v *validator) payload(path string, size Bytes) {
	v.demand(size >= 1 && size <= maxSize, path, size, "a size from 1B to "+Bytes(maxSize).String())
}

// shares refuses shares that do not add up to 1, a thousandth aside: thirds are rounded.
func (v *validator) shares(path string, list []Fraction) {
	sum := Fraction(0)
	for _, s := range list {
		sum += min(s, 2*Whole)
	}
	v.demand(len(list) == 0 || sum >= Whole-Whole/1000 && sum <= Whole+Whole/1000, path, "shares of "+sum.String()+" in all", "shares that add up to 1")
}

// trafficLoad makes the traffic for a network that has been laid out.
func (e *Experiment) trafficLoad(top topology.Topology) (traffic.Load, error) {
	t := &e.Traffic
	l := traffic.Load{Window: t.Window, Reply: int64(t.Reply), Seed: e.Seed}
	l.Arrivals = traffic.Arrivals{Load: int64(t.Load), Burst: int64(t.Arrivals.Burst), Peak: int64(t.Arrivals.Peak)}
	for i, name := range traffic.Processes {
		if name == t.Arrivals.Process {
			l.Arrivals.Process = traffic.Process(i)
		}
	}
	l.Sizes = []traffic.SizeClass{{From: int64(t.Size), To: int64(t.Size), Share: 1}}
	for i, s := range t.Sizes {
		c := traffic.SizeClass{From: int64(s.Size + s.From), To: int64(s.Size + s.To), Share: int64(s.Share)}
		l.Sizes = append(l.Sizes[:i], c)
	}
	spec, err := e.patternSpec()
	if err != nil {
		return l, err
	}
	l.Pattern, err = traffic.New(spec, top)
	if p, ok := err.(*traffic.Problem); ok {
		return l, e.refuse("traffic.pattern."+p.Field, p.Found, p.Expected, p.Hint)
	}
	return l, err
}

func (e *Experiment) patternSpec() (traffic.Spec, error) {
	p := e.Traffic.Pattern
	s := traffic.Spec{Name: p.Name, Dims: p.Dims, Share: int64(p.Share), Block: p.Block}
	for _, h := range p.Hosts {
		s.Hosts = append(s.Hosts, int32(max(-1, min(h, maxHosts))))
	}
	for _, part := range p.Parts {
		s.Parts = append(s.Parts, traffic.Part{Share: int64(part.Share), Block: part.Block, Dims: part.Dims, Hops: part.Hops, Class: uint8(part.Class)})
	}
	var err error
	if p.File != "" {
		s.Table, err = e.readPermutation(p.File)
	}
	return s, err
}

// readPermutation reads one destination a line; # begins a comment.
func (e *Experiment) readPermutation(path string) ([]int32, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, e.refuse("traffic.pattern.file", err.Error(), "a readable file", "")
	}
	source := &config.Source{Name: path, Text: string(text)}
	var list []int32
	for i, line := range strings.Split(source.Text, "\n") {
		field, _, _ := strings.Cut(line, "#")
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil {
			at := config.Position{Source: source, Line: i + 1, Column: 1, Width: len(field)}
			return nil, configError(config.Problems{{Position: at, Field: "destination", Found: field, Expected: "the number of a host"}})
		}
		list = append(list, int32(n))
	}
	return list, nil
}
