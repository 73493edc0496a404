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
	// tableRoom bounds the number of places in tables of matching queues for each queue of a rank's
	// own: a table doubles at a load of 3/4, and the smaller ones that it has had are given back.
	tableRoom = 7
	// mapRoom bounds the room of a Go map relative to its entries: half of it is free after it has
	// doubled.
	mapRoom = 3
	// latencyRoom is the size (bytes) of a histogram of latencies that lie within three decades.
	latencyRoom = 20 << 10
)

// ForecastMessage returns the memory (bytes) that a message takes between its posting and the end
// of both of its requests: itself, a send, a receive, its matching queue, and the program's
// requests. It is the minimum, for a message that meets a posted receive.
func ForecastMessage(s *model.Spec) int64 {
	each := int64(unsafe.Sizeof(fabric.Message{}) + unsafe.Sizeof(core.RequestState{}) + unsafe.Sizeof(core.ReceiveState{}) +
		4*unsafe.Sizeof(core.Queue{}) + 2*unsafe.Sizeof(model.Request{}))
	if s.Replies {
		each += int64(unsafe.Sizeof(fabric.Extra{}) + unsafe.Sizeof(protocol.Posting{}))
	}
	return each
}

// ForecastPaused returns how much less memory (bytes) a rank may take than ForecastMessage for each of
// `open` messages that it posts one after the other, if it pauses between them.
func ForecastPaused(open int) int64 {
	each := int64(unsafe.Sizeof(fabric.Message{}) + 4*unsafe.Sizeof(core.Queue{}))
	return int64(max(0, open-mostEmitted/2)) * each
}

// ForecastLate returns the memory (bytes) that a message takes beyond ForecastMessage if it arrives
// before its receive is posted, or before a message that must precede it, and if the tables of both
// have just doubled.
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

// ForecastCell returns the memory (bytes) that ranks of several cells (fabric.Cell) need for each cell
// besides what they need for themselves.
func ForecastCell() int64 {
	first := unsafe.Sizeof(core.RequestState{}) + unsafe.Sizeof(core.ReceiveState{}) + unsafe.Sizeof(core.Unexpected{}) +
		unsafe.Sizeof(schedule.Event{})
	return int64(unsafe.Sizeof(Block{})+core.Chunk*first+model.FirstOps*unsafe.Sizeof(core.Op{})) + latencyRoom
}

// ForecastPair returns the memory (bytes) kept for two ranks of which one has sent to the other:
// the sequence numbers of their messages and of their one-sided operations, if these may arrive out
// of order.
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

// ForecastPlaces returns the memory (bytes) of the tables that say on which hosts the ranks are,
// where hosts may have several ranks or not.
func ForecastPlaces(hosts, ranks int, several bool) int64 {
	words := 2*hosts + ranks
	if several {
		words += hosts + 2*ranks
	}
	return int64(words) * int64(unsafe.Sizeof(int32(0)))
}
