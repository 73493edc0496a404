package data

import (
	"fmt"

	"fabricast/record"
)

// Maximum numbers of rows that a report takes from logs.
const (
	mostMessages  = 100_000
	mostLogged    = 100_000
	mostTimeline  = 400_000
	timelineSpans = 512 // intervals in the table rank_blocks
)

// logs adds the logs. Long logs are thinned out to every n-th row.
func (b *builder) logs() {
	b.log("messages", record.MessagesTable, mostMessages)
	b.log("buffer_log", record.BufferLogTable, mostLogged)
	b.timeline()
}

// logNames maps columns of logs to their names in a report, by table.
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

// log adds a log as a table of at most `most` rows: every row, or every n-th.
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
