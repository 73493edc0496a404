package collective

// Tags of the collectives' messages. Messages with the same tag between two ranks stay in order, so
// one tag per collective is enough.
const (
	TagAlltoall = iota + 1
	TagBarrier
	TagBroadcast
	TagAllreduce
	TagAllgather
	TagReduce
	TagReduceScatter
	TagGather
	TagScatter
	TagScan
	TagExscan
)
