package record

import (
	"errors"
	"iter"
	"path/filepath"

	"fabricast/internal/input"
	"fabricast/internal/parquet"
)

// HopsTable holds the hops of all packets. WaitsTable holds the waits of messages with their holders, and
// BlameTable their sums.
const (
	HopsTable  = "hops.parquet"
	WaitsTable = "waits.parquet"
	BlameTable = "blame.parquet"
)

// Hop is a row of hops.parquet: how a packet left one buffer. See fabric.Hop.
type Hop struct {
	Message     int64 `parquet:"message" holds:"any"`
	Source      int32 `parquet:"source_nic"`
	Destination int32 `parquet:"destination_nic"`
	SourceRank  int32 `parquet:"source_rank" holds:"any"`
	Stage       int8  `parquet:"stage"` // index in the stages of fabric.Hop: 0 injected, 1 crossed, 2 linked, 3 received, 4 resumed, 5 withheld, 6 lost, 7 filled, 8 failed
	Last        int8  `parquet:"last"`  // 1: the last packet of its message
	Port        int32 `parquet:"port" holds:"any"`
	VC          int32 `parquet:"vc" holds:"any"`
	OutPort     int32 `parquet:"out_port" holds:"any"`
	OutVC       int32 `parquet:"out_vc" holds:"any"`
	Flits       int32 `parquet:"flits"`
	Needs       int32 `parquet:"needs_flits"`
	Ready       int64 `parquet:"ready_ps"`
	Asked       int64 `parquet:"asked_ps"`
	Start       int64 `parquet:"start_ps,delta"`
	Leave       int64 `parquet:"leave_ps"`
	Queue       int64 `parquet:"queue_ps"`
	Flow        int32 `parquet:"flow" holds:"any"`   // the last four: where packets are dropped or paused
	Packet      int32 `parquet:"packet" holds:"any"` // number in its flow
	Times       int32 `parquet:"times"`              // how often it had been sent before
	Reason      int8  `parquet:"reason"`             // index in the reasons of fabric.Hop
}

// Wait is a row of waits.parquet: for how long a message waited for a link because of one other message,
// or of its own earlier packets.
type Wait struct {
	Message           int64  `parquet:"message" holds:"any"`
	Source            int32  `parquet:"source_host" holds:"nic"`
	Destination       int32  `parquet:"destination_host" holds:"nic"`
	SourceRank        int32  `parquet:"source_rank" holds:"any"`
	Cause             string `parquet:"cause,dict"`        // name of the part of the latency, as in package causes
	Link              int32  `parquet:"link" holds:"link"` // link that the message waited for
	Holder            int64  `parquet:"holder_message" holds:"any"`
	HolderSource      int32  `parquet:"holder_source_host" holds:"nic"`
	HolderDestination int32  `parquet:"holder_destination_host" holds:"nic"`
	HolderSourceRank  int32  `parquet:"holder_source_rank" holds:"any"`
	HolderLink        int32  `parquet:"holder_link" holds:"link"` // link that the holder passed, or was about to pass
	Wait              int64  `parquet:"wait_ps"`
}

// Failed reports whether the message waited because HolderLink was down, and for no other message.
func (w *Wait) Failed() bool { return w.Holder == 0 }

// Values of Blame.Matrix.
const (
	BlameFlow = "flow" // flow by flow: hosts
	BlameRank = "rank" // rank by rank; the destinations are -1
	BlameJob  = "job"  // job by job; the destinations are -1
	BlameLink = "link" // link that was waited for, as the source, by flow
	BlameRoot = "root" // link that the holder passed, as the source, by flow
)

// Blame is a row of blame.parquet: an element of a matrix. Each matrix sums to the waits of waits.parquet.
type Blame struct {
	Matrix            string `parquet:"matrix,dict" holds:"of flow rank job link root"`
	Source            int32  `parquet:"source" holds:"any"`
	Destination       int32  `parquet:"destination" holds:"any"`
	HolderSource      int32  `parquet:"holder_source" holds:"any"`
	HolderDestination int32  `parquet:"holder_destination" holds:"any"`
	Wait              int64  `parquet:"wait_ps"`
}

// Written returns the rows of a table that has been written into an unfinished folder.
func Written[Row any](f *Folder, table string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		var none Row
		file, size, err := input.Open(filepath.Join(f.temp, table), input.Table)
		if err != nil {
			yield(none, err)
			return
		}
		defer func() { _ = file.Close() }() // it is only read
		read, err := parquet.Open(file, size)
		if err != nil {
			yield(none, err)
			return
		}
		for row, err := range parquet.Rows[Row](read) {
			if !yield(row, errors.Join(err)) {
				return
			}
		}
	}
}
