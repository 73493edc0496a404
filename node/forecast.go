package node

import (
	"unsafe"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/protocol"
	"fabricast/node/internal/schedule"

	"fabricast/fabric"
)

const (
	// tableRoom bounds the number of slots in tables of matching queues per queue: a table doubles
	// at a load of 3/4, and the smaller tables that it replaces have been released but are still
	// allocated.
	tableRoom = 7
	// mapRoom bounds the capacity of a Go map relative to its number of entries: half of it is free
	// after the map has doubled.
	mapRoom = 3
	// latencyRoom is the size in bytes of a histogram of latencies that span three decades.
	latencyRoom = 20 << 10
)

// ForecastMessage returns the memory in bytes that a message takes between its posting and the
// completion of its send and its receive: the message, both requests, its matching queue, and the
// program's requests. It is the minimum, which applies if the message matches a posted receive.
func ForecastMessage(s *model.Spec) int64 {
	each := int64(unsafe.Sizeof(fabric.Message{}) + unsafe.Sizeof(core.RequestState{}) + unsafe.Sizeof(core.ReceiveState{}) +
		4*unsafe.Sizeof(core.Queue{}) + 2*unsafe.Sizeof(model.Request{}))
	if s.Replies {
		each += int64(unsafe.Sizeof(fabric.Extra{}) + unsafe.Sizeof(protocol.Posting{}))
	}
	return each
}

// ForecastPaused returns by how many bytes less than ForecastMessage each of `open` messages may
// take if the rank posts them one after the other and pauses between them.
func ForecastPaused(open int) int64 {
	each := int64(unsafe.Sizeof(fabric.Message{}) + 4*unsafe.Sizeof(core.Queue{}))
	return int64(max(0, open-mostEmitted/2)) * each
}

// ForecastLate returns the memory in bytes that a message takes in addition to ForecastMessage if
// it arrives before its receive is posted, or before an earlier message of the same pair of ranks,
// and if both tables involved have just doubled.
func ForecastLate(s *model.Spec) int64 {
	each := int64(unsafe.Sizeof(core.Unexpected{})) + tableRoom*int64(unsafe.Sizeof(core.Queue{}))
	if s.Replies {
		each += int64(unsafe.Sizeof(fabric.Message{}) + unsafe.Sizeof(fabric.Extra{}) +
			2*unsafe.Sizeof(int64(0)))
	}
	if s.Overtaking {
		each += mapRoom * int64(unsafe.Sizeof(schedule.Turn{})+unsafe.Sizeof(fabric.MsgID(0)))
	}
	return each
}

// ForecastCell returns the memory in bytes that each cell of a block (fabric.Cell) needs, apart
// from the memory of its ranks.
func ForecastCell() int64 {
	first := unsafe.Sizeof(core.RequestState{}) + unsafe.Sizeof(core.ReceiveState{}) + unsafe.Sizeof(core.Unexpected{}) +
		unsafe.Sizeof(schedule.Event{})
	return int64(unsafe.Sizeof(Block{})+core.Chunk*first+model.FirstOps*unsafe.Sizeof(core.Op{})) + latencyRoom
}

// ForecastPair returns the memory in bytes for a pair of ranks of which one has sent to the other:
// the sequence numbers of messages and of one-sided operations, if these may arrive out of order.
func ForecastPair(s *model.Spec) int64 {
	if !s.Overtaking {
		return 0
	}
	kinds := int64(1)
	if s.Replies {
		kinds = 2
	}
	return 2 * kinds * mapRoom * int64(unsafe.Sizeof(schedule.Pair{})+unsafe.Sizeof(uint32(0)))
}

// ForecastPlaces returns the memory in bytes of the tables that map ranks to hosts. several says
// whether hosts may have more than one rank.
func ForecastPlaces(hosts, ranks int, several bool) int64 {
	words := 2*hosts + ranks
	if several {
		words += hosts + 2*ranks
	}
	return int64(words) * int64(unsafe.Sizeof(int32(0)))
}
