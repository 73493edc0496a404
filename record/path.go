package record

// CriticalPathTable holds the critical path of a run, which fabricast why finds in the other tables.
const CriticalPathTable = "critical_path.parquet"

// PathSegment is a row of critical_path.parquet: a segment of the path, with the message that it
// concerns. The segments follow one another without gaps, from time 0 to the end of the run.
type PathSegment struct {
	Rank        int32  `parquet:"rank" holds:"rank"` // that works; of a message its receiver
	Cause       string `parquet:"cause,dict"`
	Begin       int64  `parquet:"begin_ps"`
	End         int64  `parquet:"end_ps"`
	Message     int64  `parquet:"message" holds:"any"` // 0 if the message stays on its host, or there is none
	Source      int32  `parquet:"source" holds:"rank or none"`
	Destination int32  `parquet:"destination" holds:"rank or none"`
	Tag         int32  `parquet:"tag" holds:"any"`
	Bytes       int64  `parquet:"payload_bytes"`
	Send        int64  `parquet:"send_ps"`
	Collective  string `parquet:"collective,dict"`
}
