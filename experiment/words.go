package experiment

import (
	"reflect"

	"fabricast/fabric"
	"fabricast/internal/option"
	"fabricast/traffic"
)

// words holds the allowed words of fields, by path, in the order in which messages list them. The
// checks and the JSON Schema use it. Names of kinds, algorithms, programs and patterns are defined
// with those, and the words of options with their types.
var words = map[string][]string{
	"network.model":                 ModelNames(),
	"network.router.buffers":        {BuffersCredits, BuffersPFC, BuffersLossy},
	"network.router.ecn.at":         {ECNEnqueue, ECNDequeue},
	"network.router.queues":         option.Words(reflect.TypeFor[fabric.Queues]()),
	"network.router.allocation":     option.Words(reflect.TypeFor[fabric.Allocation]()),
	"network.router.allocator":      option.Words(reflect.TypeFor[fabric.Allocator]()),
	"network.router.arbiter":        option.Words(reflect.TypeFor[fabric.Arbiter]()),
	"network.in_network.kind":       inNetworkNames(),
	"node.injection":                option.Words(reflect.TypeFor[fabric.Injection]()),
	"node.protocol.complete":        {CompleteCopied, CompleteFetched},
	"node.protocol.rendezvous":      {RendezvousWrite, RendezvousRead},
	"node.nic_choice":               {NICRoundRobin, NICDestination, NICPort},
	"node.nic_order":                {NICFIFO, NICRoundRobin, NICControlFirst},
	"node.transport.retransmission": {RetransmissionNone, RetransmissionGoBackN, RetransmissionSelective},
	"node.copies":                   {CopiesZero, CopiesOne},
	"mapping.order":                 {MappingLinear, MappingRoundRobin, MappingRandom, MappingFolded},
	"partition.by":                  Partitions(),
	"compute.mode":                  {ComputeNone, ComputeMeasured, ComputeSampled},
	"payload":                       {PayloadCarry, PayloadOmit},
	"imbalance.distribution":        {ImbalanceNormal, ImbalanceUniform, ImbalanceExponential, ImbalanceFile},
	"imbalance.order":               {OrderSorted, OrderRandom},
	"noise.distribution":            {NoiseFixed, NoiseExponential},
	"noise.phase":                   {PhaseRandom, PhaseAligned},
	"faults.packets":                {PacketsDrain, PacketsRetry, PacketsLose},
	"faults.reroute":                reroutes(),
	"traffic.arrivals.process":      traffic.Processes,
	"engine.mode":                   {EngineConservative, EngineOptimistic, EngineOptimisticCheck},
	"engine.throttle":               {ThrottleDynamic, ThrottleStatic},
	"engine.balance":                {BalanceStatic, BalanceDynamic},
	"engine.sync":                   {SyncAuto, SyncAll, SyncNeighbours},
	"engine.streams":                {StreamsOn, StreamsOff},
	"traffic.flow_sizes.name":       traffic.FlowSizeNames(),
}

// Partitions lists the methods of partitioning, the default first.
func Partitions() []string {
	return []string{
		PartitionLinear, PartitionTopology, PartitionGraph, PartitionMetis, PartitionScotch, PartitionOwn,
	}
}

// word records a problem if found is not one of the words of the field at path.
func (v *validator) word(path, found string) { v.choice(path, found, words[path]...) }

// Words lists the words that the field at path accepts, or returns nil if it accepts any text.
func Words(path string) []string { return known(path) }
