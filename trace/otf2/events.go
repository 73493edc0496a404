package otf2

// Kinds of events that a replay needs.
const (
	evMeasurement              = 11
	evEnter                    = 12
	evLeave                    = 13
	evSend                     = 14
	evIsend                    = 15
	evIsendComplete            = 16
	evIrecvRequest             = 17
	evRecv                     = 18
	evIrecv                    = 19
	evRequestTest              = 20
	evRequestCancelled         = 21
	evCollectiveBegin          = 22
	evCollectiveEnd            = 23
	evParameter                = 34
	evWindowCreate             = 35
	evWindowDestroy            = 36
	evRmaCollectiveEnd         = 38
	evRmaPut                   = 46
	evRmaGet                   = 47
	evRmaAtomic                = 48
	evRmaCompleteBlocking      = 49
	evRmaComplete              = 50
	evNonBlockingDone          = 86
	firstOneSided              = evRmaPut
	lastOneSided               = evRmaAtomic
	measurementOff        byte = 2
)

// isSingle marks the kinds of events that have no length field and consist of one compressed
// integer.
var isSingle = [256]bool{
	evEnter: true, evLeave: true, evIsendComplete: true, evIrecvRequest: true, evRequestTest: true,
	evRequestCancelled: true, evWindowCreate: true, evWindowDestroy: true,
}

// IDs of collectives in events.
const (
	opBarrier            = 0
	opBroadcast          = 1
	opGather             = 2
	opGatherv            = 3
	opScatter            = 4
	opScatterv           = 5
	opAllgather          = 6
	opAllgatherv         = 7
	opAlltoall           = 8
	opAlltoallv          = 9
	opAlltoallw          = 10
	opAllreduce          = 11
	opReduce             = 12
	opReduceScatter      = 13
	opScan               = 14
	opExscan             = 15
	opReduceScatterBlock = 16
)
