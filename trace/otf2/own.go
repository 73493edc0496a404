package otf2

import (
	"strings"

	"fabricast/trace"
)

// This file defines the extensions of OTF2 with which archives written by this package store all
// fields of records. Other tools show them as attributes of events.

// factorProperty is the archive property with the factor by which computation times have been
// multiplied. Only archives written by this package have it.
const factorProperty = "FABRICAST::COMPUTE_FACTOR"

// IDs of attributes of events. The comments name the events that have the attribute, and its value.
const (
	// enter and leave: ps of computation since the previous event, if different from the elapsed
	// time
	atWork     = iota
	atSoftware // enter of a call that represents software time: its ps
	atBeside   // enter of a call that starts a concurrent computation: its ps
	atRequest  // enter of such a call: the request of the computation
	atSource   // start of a receive, or enter of a probe: 1 + world rank of the source; 0: any
	atTag      // the same events: tag
	atComm     // the same events: communicator
	atSize     // the same events: size in bytes
	atProtocol // send: the field of trace.MessageOptions, as for the next three
	atCopies
	atNIC
	atGap
	atContext // put, and receive or probe of a put: trace.MessageOptions.Context
	atSkipped // enter of a call that cannot be replayed
	atSpan    // enter of a collective whose messages are recorded as calls within it
	atOperand // end of a collective: trace.Operation.Size
	atBlocks  // end of a collective: length of trace.Operation.Blocks
	atBlock0  // end of a collective: Blocks[0]; the next IDs are for Blocks[1], ...
)

var attributeNames = [atBlock0]string{
	"work (ps)", "software time (ps)", "computation beside (ps)", "request", "source + 1", "tag",
	"communicator", "size",
	"protocol", "copies", "NIC", "gap", "context", "left out", "carried out by " +
		"messages", "operand (bytes)", "blocks",
}

// IDs of parameters. Parameter events represent actions for which OTF2 has no event.
const (
	// endedParameter: a request is complete that is not an MPI request, or whose message is unknown
	endedParameter = iota
	// unknownParameter: a receive is complete, but it is unknown which message it received; the
	// attributes of the event describe the receive
	unknownParameter
)

var parameterNames = [...]string{"complete request", "receive of any message"}

// window is the ID of the RMA window of all one-sided operations.
const window = 0

// skippedPrefix is the prefix of region names of calls that cannot be replayed.
const skippedPrefix = "left out: "

// isSkipped reports whether the region with the given name is a call that cannot be replayed.
func isSkipped(name string) bool { return strings.HasPrefix(name, skippedPrefix) }

// IDs of communicators. MPI_COMM_SELF and each group have two communicators: one for messages of
// the program, and the next ID for messages of collectives.
const (
	selfComm   = 0
	firstGroup = 2 // the first communicator of group 0
)

// ofComm returns the group of a communicator ID, and the context: 0 for messages of the program, 1
// for messages of collectives.
func ofComm(id uint64) (group int32, context uint8) {
	if id < firstGroup {
		return trace.Self, uint8(id)
	}
	return int32((id - firstGroup) / 2), uint8(id & 1)
}

// commOf returns the communicator ID for messages of a group in a context (0 or 1), see ofComm.
func commOf(group int32, context uint8) uint64 {
	if group == trace.Self {
		return selfComm + uint64(context)
	}
	return firstGroup + 2*uint64(group) + uint64(context)
}

// IDs of the regions of MPI calls.
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
	inCollective // the first collective; the others follow in the order of mpiCollectives
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

// mpiCollective is a collective with its ID in events and its region.
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

// regionOf returns the region ID of a collective; -1 if there is none.
func regionOf(kind trace.CollectiveKind, uneven bool) int {
	for i := range mpiCollectives {
		if c := &mpiCollectives[i]; c.kind == kind && c.uneven == uneven {
			return inCollective + i
		}
	}
	return -1
}

// regions returns the regions of all MPI calls by region ID.
func regions() []mpiRegion {
	list := mpiCalls[:]
	for i := range mpiCollectives {
		list = append(list, mpiCollectives[i].region)
	}
	return list
}
