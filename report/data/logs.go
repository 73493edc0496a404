package data

import (
	"fmt"

	"fabricast/record"
)

// Rows of logs that a report takes.
const (
	mostMessages  = 100_000
	mostLogged    = 100_000
	mostTimeline  = 400_000
	timelineSpans = 512 // intervals of rank_blocks
)

// logs adds the logs, thinned out evenly if they are long.
func (b *builder) logs() {
	b.log("messages", record.MessagesTable, mostMessages)
	b.log("buffer_log", record.BufferLogTable, mostLogged)
	b.timeline()
}

// logNames are names of columns that are others in a report, by table.
var logNames = map[string]string{
	"messages.payload_bytes":      "bytes",
	"buffer_log.source_host":      "source",
	"buffer_log.destination_host": "destination",
	"buffer_log.wire_bytes":       "size_bytes",
	"buffer_log.no_credit_ps":     "wait_credit_ps",
	"buffer_log.busy_output_ps":   "wait_output_ps",
	"buffer_log.busy_crossbar_ps": "wait_crossbar_ps",
	"buffer_log.order_ps":         "wait_order_ps",
}

// log adds a log as it is, or every n-th of its rows.
func (b *builder) log(name, file string, most int) {
	f := b.read(file)
	if f == nil {
		return
	}
	for _, c := range f.columns {
		if to, ok := logNames[name+"."+c.name]; ok {
			c.name = to
		}
	}
	note := ""
	if every := (f.rows + most - 1) / most; every > 1 {
		note = fmt.Sprintf("Every %d. row, of %d.", every, f.rows)
		f = f.pick(everyNth(f.rows, every))
	}
	b.run.Tables[name] = f.table(b.blobs, b.prefix+"."+name, note)
}

func everyNth(rows, every int) []int32 {
	var list []int32
	for i := 0; i < rows; i += every {
		list = append(list, int32(i))
	}
	return list
}
