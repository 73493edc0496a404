package data

import "fmt"

// Rows of logs that a report takes.
const (
	mostMessages  = 100_000
	mostLogged    = 100_000
	mostTimeline  = 400_000
	timelineSpans = 512 // intervals of rank_blocks
)

// Logs of a result folder.
const (
	messagesTable  = "messages.parquet"
	bufferLogTable = "buffer_log.parquet"
	timelineTable  = "timeline.parquet"
)

// logs adds the logs, thinned out evenly if they are long.
func (b *builder) logs() {
	b.log("messages", messagesTable, mostMessages)
	b.log("buffer_log", bufferLogTable, mostLogged)
	b.timeline()
}

// log adds a log as it is, or every n-th of its rows.
func (b *builder) log(name, file string, most int) {
	f := b.read(file)
	if f == nil {
		return
	}
	note := ""
	if every := (f.rows + most - 1) / most; every > 1 {
		note = fmt.Sprintf("Every %d. row, of %d.", every, f.rows)
		f = f.pick(everyNth(f.rows, every))
	}
	b.run.Tables[name] = f.table(b.blobs, b.run.ID+"."+name, note)
}

func everyNth(rows, every int) []int32 {
	var list []int32
	for i := 0; i < rows; i += every {
		list = append(list, int32(i))
	}
	return list
}
