package channels

import (
	"fabricast/collective"
	"fabricast/node"
)

// Indices of the options in collective.Values.
const (
	optionProtocol = iota
	optionChannels
	optionGPUs
	optionLaunch
	optionInside
	optionBetween
	optionRate
	optionBus
	optionNVLink
)

// Options are the options of NCCL's algorithms.
var Options = []collective.Option{
	{
		Name: "protocol", Words: []string{"auto", "ll", "ll128", "simple"},
		Summary: "how data is sent; auto: as NCCL's model of costs has it",
	},
	{Name: "channels", Summary: "channels, at most 128; 0: two for each rank of a node and 16 at least, or four on nodes of one"},
	{Name: "gpus", Summary: "consecutive ranks that are a node; 0: the ranks of a host, or of a node of topology nodes"},
	{Name: "launch", Default: -1, Summary: "ns until all threads run; -1: by protocol, as the next ones"},
	{Name: "inside", Default: -1, Summary: "ns of a step to a rank of the same node, besides the network's"},
	{Name: "between", Default: -1, Summary: "ns of a step to another node, besides the network's"},
	{Name: "rate", Default: -1, Summary: "MB/s of data at which a channel moves it"},
	{
		Name: "bus", Default: -1, Least: 1,
		Summary: "MB/s of all channels between nodes, for NCCL's model of costs alone; " +
			"-1: of the NICs of topology nodes, or 192000",
	},
	{
		Name: "nvlink", Default: -1, Least: 1,
		Summary: "MB/s of all channels within a node, likewise; -1: of a GPU's links in topology nodes, or 320000",
	},
}

// Info describes one of NCCL's algorithms.
func Info(name collective.Algorithm, summary string) collective.Info {
	return collective.Info{Name: name, Overlaps: true, Sized: true, Options: Options, Summary: summary}
}

// Reduction describes one that reduces: in the order of its way, so that the operation must be commutative.
func Reduction(name collective.Algorithm, summary string) collective.Info {
	info := Info(name, summary)
	info.CommutativeOnly = true
	return info
}

// timing holds the times of a protocol in ns, and the rate of a channel in MB/s.
type timing struct{ launch, inside, between, rate int64 }

// timings are the times of each protocol. They begin from NCCL's model of costs, whose latencies
// include the network; steps and rates were then fitted to 16 GPUs of MareNostrum 5
// (docs/validation/nccl.md). Those of Simple are the model's, and so is the rate of rings by LL128. The rate
// of NVLS was fitted to 1 GiB on a node of 8 H100; the others of what switches reduce are the model's too.
var timings = map[Way][3]timing{
	Ring: {
		LL:     {6600, 1000, 3000, 8000},
		LL128:  {14000, 3500, 5500, 36700},
		Simple: {8400, 3400, 14000, 24000},
	},
	Tree: {
		LL:     {6800, 600, 2200, 10000},
		LL128:  {14000, 1250, 10000, 30000},
		Simple: {8400, 4000, 14000, 30000},
	},
	PAT:           {Simple: patTimes},
	NVLS:          {Simple: {25000, 0, 18000, 18500}},
	NVLSTree:      {Simple: {25000, 0, 14000, 18500}},
	CollNetDirect: {Simple: {8400, 3700, 31000, 24000}},
	CollNetChain:  {Simple: {8400, 2800, 30000, 24000}},
}

// Call describes a call of a collective.
type Call struct {
	Kind collective.Kind
	// Bytes is the size of the largest buffer of a rank, and Traffic about the number of bytes that a
	// rank sends.
	Bytes, Traffic int
	// Op is the operation of a reduction, and Data a buffer with its operands, if these have contents.
	Op   *collective.Op
	Data node.Buf
}

// Setting is how a call is carried out at a rank.
type Setting struct {
	Protocol Protocol
	Way      Way
	timing
	each           int64 // ns that a channel is busy with a message, besides
	ranks, rank    int
	places         *Places
	trees          switches
	most, channels int // channels there are, and those that the call uses
	chunk, slices  int // bytes of a chunk, and the slices in which it travels
}

// Choose returns how a call is carried out: in a way or, if there is none for these ranks or it is Best,
// in that which NCCL's model of costs finds the fastest.
func Choose(c collective.Comm, v collective.Values, call Call, way Way) *Setting {
	s := &Setting{ranks: c.Size(), rank: c.Rank(), places: PlacesOf(c, v[optionGPUs])}
	if s.most = min(v[optionChannels], collective.Channels); s.most == 0 {
		s.most = s.places.channels()
	}
	m := s.model(v)
	var forced *Protocol
	if p := Protocol(v[optionProtocol] - 1); p >= 0 {
		forced = &p
	}
	if way == PAT {
		forced = nil // it has one protocol
	}
	m.Ways = s.ways(c, call, way, forced)
	s.Way, s.Protocol = m.Choose(call.Kind, call.Bytes, forced)
	s.settle(v, call)
	return s
}

// model returns NCCL's model of costs of a call.
func (s *Setting) model(v collective.Values) *Model {
	return &Model{
		Ranks: s.ranks, Nodes: s.places.Nodes(), Channels: s.most,
		Bus:    rate(v[optionBus], s.places.rates.Between, 192000),
		NVLink: rate(v[optionNVLink], s.places.rates.Within, 320000),
	}
}

// rate returns a rate in GB/s: the given one (in MB/s), or else that of the network, or else another.
func rate(given, network, otherwise int) float64 {
	switch {
	case given > 0:
		return float64(given) / 1000
	case network > 0:
		return float64(network) / 1000
	}
	return float64(otherwise) / 1000
}

// settle sets what depends on the algorithm and the protocol.
func (s *Setting) settle(v collective.Values, call Call) {
	s.timing = timings[s.Way][s.Protocol]
	if s.Way == PAT {
		s.each = patEach
	}
	for at, field := range map[int]*int64{
		optionLaunch: &s.launch, optionInside: &s.inside, optionBetween: &s.between,
	} {
		if v[at] >= 0 {
			*field = int64(v[at])
		}
	}
	if v[optionRate] > 0 {
		s.rate = int64(v[optionRate])
	}
	s.channels = s.Protocol.channels(s.most, call.Bytes, call.Traffic, s.Way, s.ranks)
	s.chunk, s.slices = s.Protocol.step(), 1
	switch {
	case s.Way.switched():
		s.chunk = switchedChunk
		s.channels = min(s.channels, s.trees.channels())
	case s.Protocol == LL128:
		s.slices = linesAtOnce
		if s.Way == Tree {
			s.chunk = s.treeChunk(call.Bytes)
		}
	case s.Way == Ring && s.Protocol == Simple:
		s.chunk, s.slices = 4*s.chunk, 2
	}
}

// treeChunk returns the size of a chunk in a tree by LL128, which is smaller if there would be few
// chunks for the length of the tree.
func (s *Setting) treeChunk(bytes int) int {
	chunk, each := s.chunk, float64(s.ranks)/float64(s.places.Nodes())
	steps := 1 + float64(log2(s.places.Nodes())) + 0.1*each
	for _, to := range []struct {
		chunks float64
		least  int
	}{{64, 128 << 10}, {16, 32 << 10}} {
		for float64(bytes/(s.channels*chunk)) < steps*to.chunks/each && chunk > to.least {
			chunk /= 2
		}
	}
	return chunk / grain * grain
}

// ChooseRing returns how a call is carried out on rings.
func ChooseRing(c collective.Comm, v collective.Values, call Call) *Setting {
	return Choose(c, v, call, Ring)
}
