package collective

// kindsByTag maps message tags to collectives.
var kindsByTag = [...]Kind{
	TagAlltoall: KindAlltoall, TagBarrier: KindBarrier, TagBroadcast: KindBroadcast,
	TagAllreduce: KindAllreduce,
	TagAllgather: KindAllgather, TagReduce: KindReduce, TagReduceScatter: KindReduceScatter,
	TagGather: KindGather, TagScatter: KindScatter,
	TagScan: KindScan, TagExscan: KindExscan,
}

// tagBits is the number of low bits of a message's tag that identify the collective. Higher bits
// distinguish concurrent collectives.
const tagBits = 5

// KindOf returns the collective that a collective message with the given tag belongs to, or "" if
// there is none.
func KindOf(tag int32) Kind {
	if i := int(tag & (1<<tagBits - 1)); i < len(kindsByTag) {
		return kindsByTag[i]
	}
	return ""
}
