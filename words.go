package fabricast

import "fabricast/internal/experiment"

// Values of the fields of an experiment (docs/formats/experiment.md).
const (
	KindTorus         = experiment.KindTorus
	KindMesh          = experiment.KindMesh
	KindHyperX        = experiment.KindHyperX // flattened butterfly
	KindFull          = experiment.KindFull
	KindFatTree       = experiment.KindFatTree
	KindKaryTree      = experiment.KindKaryTree
	KindXGFT          = experiment.KindXGFT
	KindDragonfly     = experiment.KindDragonfly
	KindDragonflyPlus = experiment.KindDragonflyPlus
	KindSlimFly       = experiment.KindSlimFly
	KindHierarchy     = experiment.KindHierarchy
	KindFile          = experiment.KindFile

	ModelPacket         = experiment.ModelPacket         // packet by packet
	ModelContentionFree = experiment.ModelContentionFree // message by message, as if alone
	ModelAlphaBeta      = experiment.ModelAlphaBeta      // Hockney's; TraceR's SimpleNet
	ModelLogP           = experiment.ModelLogP
	ModelLogGP          = experiment.ModelLogGP
	ModelLogGOPS        = experiment.ModelLogGOPS // as in LogGOPSim

	RoutingDOR      = experiment.RoutingDOR      // dimension order
	RoutingNCA      = experiment.RoutingNCA      // trees: up to a nearest common ancestor, and down
	RoutingMinimal  = experiment.RoutingMinimal  // any network, by its structure
	RoutingShortest = experiment.RoutingShortest // any network, by tables
	RoutingUpDown   = experiment.RoutingUpDown
	RoutingValiant  = experiment.RoutingValiant
	RoutingROMM     = experiment.RoutingROMM     // randomized, minimal, in two phases
	RoutingAdaptive = experiment.RoutingAdaptive // minimal, with escape channels
	RoutingUGALL    = experiment.RoutingUGALL
	RoutingUGALG    = experiment.RoutingUGALG
	RoutingPAR      = experiment.RoutingPAR
	RoutingZone     = experiment.RoutingZone
	RoutingSource   = experiment.RoutingSource // routes in headers
	RoutingTable    = experiment.RoutingTable  // forwarding tables from a file

	ArbiterFCFS       = experiment.ArbiterFCFS
	ArbiterRoundRobin = experiment.ArbiterRoundRobin
	ArbiterMatrix     = experiment.ArbiterMatrix
	ArbiterAge        = experiment.ArbiterAge
	ArbiterPriority   = experiment.ArbiterPriority
	ArbiterArrival    = experiment.ArbiterArrival

	AllocationCombined = experiment.AllocationCombined
	AllocationSeparate = experiment.AllocationSeparate

	AllocatorMaximal   = experiment.AllocatorMaximal
	AllocatorSeparable = experiment.AllocatorSeparable

	InjectionRouted = experiment.InjectionRouted
	InjectionAll    = experiment.InjectionAll

	QueuesInput = experiment.QueuesInput
	QueuesVOQ   = experiment.QueuesVOQ

	NICRoundRobin  = experiment.NICRoundRobin
	NICDestination = experiment.NICDestination
	NICPort        = experiment.NICPort

	NICFIFO         = experiment.NICFIFO // NICRoundRobin is an order too
	NICControlFirst = experiment.NICControlFirst

	RendezvousWrite = experiment.RendezvousWrite
	RendezvousRead  = experiment.RendezvousRead

	CompleteCopied  = experiment.CompleteCopied
	CompleteFetched = experiment.CompleteFetched

	CopiesZero = experiment.CopiesZero
	CopiesOne  = experiment.CopiesOne

	MappingLinear     = experiment.MappingLinear
	MappingRoundRobin = experiment.MappingRoundRobin
	MappingRandom     = experiment.MappingRandom
	MappingFolded     = experiment.MappingFolded

	// Kinds of partitions.
	PartitionLinear   = experiment.PartitionLinear
	PartitionTopology = experiment.PartitionTopology
	PartitionGraph    = experiment.PartitionGraph
	PartitionMetis    = experiment.PartitionMetis
	PartitionScotch   = experiment.PartitionScotch
	PartitionOwn      = experiment.PartitionOwn

	PlacementLinear     = experiment.PlacementLinear     // free hosts by number
	PlacementContiguous = experiment.PlacementContiguous // hosts that follow one another
	PlacementNodes      = experiment.PlacementNodes      // any free hosts
	PlacementRouters    = experiment.PlacementRouters    // free hosts, router by router
	PlacementGroups     = experiment.PlacementGroups     // free hosts, group by group
)

// Values for programs in C.
const (
	ComputeNone     = experiment.ComputeNone     // costs nothing
	ComputeMeasured = experiment.ComputeMeasured // the processor time that it takes on this machine
	// likewise, but only in loops of which the program runs some iterations
	ComputeSampled = experiment.ComputeSampled

	PayloadCarry = experiment.PayloadCarry // messages carry their contents
	PayloadOmit  = experiment.PayloadOmit  // messages carry sizes only
)

// Values for imbalance and noise.
const (
	ImbalanceNormal      = experiment.ImbalanceNormal
	ImbalanceUniform     = experiment.ImbalanceUniform
	ImbalanceExponential = experiment.ImbalanceExponential
	ImbalanceFile        = experiment.ImbalanceFile

	OrderSorted = experiment.OrderSorted
	OrderRandom = experiment.OrderRandom

	NoiseFixed       = experiment.NoiseFixed
	NoiseExponential = experiment.NoiseExponential
	PhaseRandom      = experiment.PhaseRandom
	PhaseAligned     = experiment.PhaseAligned
)

// Values for the engine.
const (
	EngineConservative    = experiment.EngineConservative
	EngineOptimistic      = experiment.EngineOptimistic
	EngineOptimisticCheck = experiment.EngineOptimisticCheck
	ThrottleDynamic       = experiment.ThrottleDynamic
	ThrottleStatic        = experiment.ThrottleStatic
	BalanceStatic         = experiment.BalanceStatic
	BalanceDynamic        = experiment.BalanceDynamic
	SyncAuto              = experiment.SyncAuto
	SyncAll               = experiment.SyncAll
	SyncNeighbours        = experiment.SyncNeighbours
)

// Values for a pacing.
const (
	PacingMOD   = experiment.PacingMOD
	PacingHops  = experiment.PacingHops
	PacingStart = experiment.PacingStart
)

// IntervalAuto makes the intervals of a recording longer as the run goes on, so that their number
// stays limited.
const IntervalAuto = experiment.IntervalAuto

// RecordingNames are the names that Recording.Set accepts.
var RecordingNames = experiment.RecordingNames

// ModelNames lists the models of networks.
func ModelNames() []string { return experiment.ModelNames() }
