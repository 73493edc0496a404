package collective

// Tags of the collectives' messages. Messages between two ranks with one tag
// keep their order, so one tag a collective is enough.
const (
	tagAlltoall = iota + 1
	tagBarrier
	tagBroadcast
	tagAllreduce
	tagAllgather
	tagReduce
	tagReduceScatter
	tagGather
	tagScatter
)
