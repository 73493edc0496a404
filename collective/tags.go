package collective

// Tags of the collectives' messages. Messages with the same tag between two ranks stay in order, so
// one tag for each collective is enough.
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
	tagScan
	tagExscan
)
