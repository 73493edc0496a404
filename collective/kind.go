package collective

// kindsByTag maps the tags of collectives' messages to the collectives.
var kindsByTag = [...]Kind{
	TagAlltoall: KindAlltoall, TagBarrier: KindBarrier, TagBroadcast: KindBroadcast,
	TagAllreduce: KindAllreduce,
	TagAllgather: KindAllgather, TagReduce: KindReduce, TagReduceScatter: KindReduceScatter,
	TagGather: KindGather, TagScatter: KindScatter,
	TagScan: KindScan, TagExscan: KindExscan,
}

// tagBits is how many low bits of a message's tag identify the collective. Higher bits distinguish
// several collectives in progress.
const tagBits = 5

// KindOf returns the collective that a message with the tag belongs to, among messages of
// collectives; "" if it belongs to none.
func KindOf(tag int32) Kind {
	if i := int(tag & (1<<tagBits - 1)); i < len(kindsByTag) {
		return kindsByTag[i]
	}
	return ""
}
