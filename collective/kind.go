package collective

// kindsByTag are the collectives by the tags of their messages.
var kindsByTag = [...]Kind{
	tagAlltoall: KindAlltoall, tagBarrier: KindBarrier, tagBroadcast: KindBroadcast, tagAllreduce: KindAllreduce,
	tagAllgather: KindAllgather, tagReduce: KindReduce, tagReduceScatter: KindReduceScatter, tagGather: KindGather, tagScatter: KindScatter,
}

// tagBits is how many bits of a message's tag tell the collective; what is above tells several under way from one another.
const tagBits = 5

// KindOf is the collective to which a message of the tag belongs, among messages of collectives; "" if to none.
func KindOf(tag int32) Kind {
	if i := int(tag & (1<<tagBits - 1)); i < len(kindsByTag) {
		return kindsByTag[i]
	}
	return ""
}
