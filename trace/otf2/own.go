package otf2

import (
	"strings"

	"fabricast/trace"
)

// Extensions of OTF2 in archives that this package writes, so that they represent all fields of
// records. Other tools show them as attributes of events.

// factorProperty is the archive's property that has the factor by which computation has been
// multiplied. Only archives of this package have it.
const factorProperty = "FABRICAST::COMPUTE_FACTOR"

// Attributes of events, by their numbers.
const (
	// atWork, of the begin or end of a region: ps of computation since the previous event, if that
	// differs from the elapsed time
	atWork     = iota
	atSoftware // of the begin of a call: ps of software time, which the call represents
	atBeside   // of the begin of a call: ps of computation that it starts
	atRequest  // of the begin of a call: the request of that computation
	atSource   // of the start of a receive, or the begin of a probe: 1 + the rank in the world; 0: any
	atTag      // likewise: the tag
	atComm     // likewise: the communicator
	atSize     // likewise: bytes
	atProtocol // of a send: as trace.MessageOptions have it, and the three that follow
	atCopies
	atNIC
	atGap
	atContext // of a put, and of a receive or probe of puts: trace.MessageOptions.Context
	atSkipped // of the begin of a call: it cannot be replayed
	atSpan    // of the begin of a collective: its messages are calls within it
	atOperand // of the end of a collective: bytes of its operand
	atBlocks  // of the end of a collective: how many blocks follow
	atBlock0  // of the end of a collective: bytes of the first block; of the others the numbers follow
)

var attributeNames = [atBlock0]string{
	"work (ps)", "software time (ps)", "computation beside (ps)", "request", "source + 1", "tag",
	"communicator", "size",
	"protocol", "copies", "NIC", "gap", "context", "left out", "carried out by " +
		"messages", "operand (bytes)", "blocks",
}

// Parameters, whose events say what OTF2 has no events for.
const (
	// endedParameter: a request is complete that is not an MPI request, or whose message is not
	// known
	endedParameter = iota
	// unknownParameter: a receive of an unknown message is complete; attributes describe the
	// receive
	unknownParameter
)

var parameterNames = [...]string{"complete request", "receive of any message"}

// window is the window of all one-sided operations.
const window = 0

// skippedPrefix begins the names of regions of calls that cannot be replayed.
const skippedPrefix = "left out: "

// isSkipped reports whether a region is a call that cannot be replayed.
func isSkipped(name string) bool { return strings.HasPrefix(name, skippedPrefix) }

// The communicators of an archive: one for the rank alone, and two for each group, for messages of
// the program and messages of collectives.
const (
	selfComm   = 0
	firstGroup = 2 // the communicator of the first group
)

// ofComm returns the group of a communicator, and whether it is that of collectives.
func ofComm(id uint64) (group int32, context uint8) {
	if id < firstGroup {
		return trace.Self, uint8(id)
	}
	return int32((id - firstGroup) / 2), uint8(id & 1)
}

// commOf returns the communicator in which a message of a group is matched.
func commOf(group int32, context uint8) uint64 {
	if group == trace.Self {
		return selfComm + uint64(context)
	}
	return firstGroup + 2*uint64(group) + uint64(context)
}

// Regions of calls of MPI, by their numbers.
const (
	inInit = iota
	inFinalize
	inSend
	inRecv
	inIsend
	inIrecv
	inSendrecv
	inWaitall
	inProbe
	inCancel
	inLibrary
	inBeside
	inPut
	inGet
	inCollective // the first of them, in the order of mpiCollectives
)

// Roles of regions.
const (
	roleFunction = 1
	roleCode     = 4
	roleBarrier  = 15
	roleOneToAll = 23
	roleAllToOne = 24
	roleAllToAll = 25
	roleOther    = 26
	rolePoint    = 28
	roleOneSided = 29
)

// mpiRegion is the region of an MPI call.
type mpiRegion struct {
	name string
	role byte
}

var mpiCalls = [inCollective]mpiRegion{
	{"MPI_Init", roleOther},
	{"MPI_Finalize", roleOther},
	{"MPI_Send", rolePoint},
	{"MPI_Recv", rolePoint},
	{"MPI_Isend", rolePoint},
	{"MPI_Irecv", rolePoint},
	{"MPI_Sendrecv", rolePoint},
	{"MPI_Waitall", rolePoint},
	{"MPI_Probe", rolePoint},
	{"MPI_Cancel", rolePoint},
	{"MPI library", roleFunction},
	{"computation beside", roleFunction},
	{"MPI_Put", roleOneSided},
	{"MPI_Get", roleOneSided},
}

// mpiCollective is a collective with its number in events.
type mpiCollective struct {
	kind   trace.CollectiveKind
	uneven bool
	op     byte
	region mpiRegion
}

var mpiCollectives = []mpiCollective{
	{trace.Barrier, false, opBarrier, mpiRegion{"MPI_Barrier", roleBarrier}},
	{trace.Broadcast, false, opBroadcast, mpiRegion{"MPI_Bcast", roleOneToAll}},
	{trace.Gather, false, opGather, mpiRegion{"MPI_Gather", roleAllToOne}},
	{trace.Gather, true, opGatherv, mpiRegion{"MPI_Gatherv", roleAllToOne}},
	{trace.Scatter, false, opScatter, mpiRegion{"MPI_Scatter", roleOneToAll}},
	{trace.Scatter, true, opScatterv, mpiRegion{"MPI_Scatterv", roleOneToAll}},
	{trace.Allgather, false, opAllgather, mpiRegion{"MPI_Allgather", roleAllToAll}},
	{trace.Allgather, true, opAllgatherv, mpiRegion{"MPI_Allgatherv", roleAllToAll}},
	{trace.Alltoall, false, opAlltoall, mpiRegion{"MPI_Alltoall", roleAllToAll}},
	{trace.Alltoall, true, opAlltoallv, mpiRegion{"MPI_Alltoallv", roleAllToAll}},
	{trace.Allreduce, false, opAllreduce, mpiRegion{"MPI_Allreduce", roleAllToAll}},
	{trace.Reduce, false, opReduce, mpiRegion{"MPI_Reduce", roleAllToOne}},
	{trace.ReduceScatter, true, opReduceScatter, mpiRegion{"MPI_Reduce_scatter", roleAllToAll}},
	{trace.ReduceScatter, false, opReduceScatterBlock, mpiRegion{"MPI_Reduce_scatter_block", roleAllToAll}},
	{trace.Scan, false, opScan, mpiRegion{"MPI_Scan", roleOther}},
	{trace.Exscan, false, opExscan, mpiRegion{"MPI_Exscan", roleOther}},
}

// regionOf returns the number of the region of a collective, -1 if there is none.
func regionOf(kind trace.CollectiveKind, uneven bool) int {
	for i := range mpiCollectives {
		if c := &mpiCollectives[i]; c.kind == kind && c.uneven == uneven {
			return inCollective + i
		}
	}
	return -1
}

// regions returns all calls by their numbers.
func regions() []mpiRegion {
	list := mpiCalls[:]
	for i := range mpiCollectives {
		list = append(list, mpiCollectives[i].region)
	}
	return list
}
