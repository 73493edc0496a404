package record

// PausesTable says who paused whom, in a network of routers that pause senders.
const PausesTable = "pauses.parquet"

// Pause is a row of pauses.parquet: the pauses of a link's sender, by the router at its end, of a
// class, for packets that wanted to leave by another link of that router.
type Pause struct {
	Link  int32 `parquet:"link" holds:"link"`     // row in links.parquet, of the sender that was paused
	For   int32 `parquet:"for_link" holds:"link"` // row in links.parquet, of a link of the router that paused it
	Class int32 `parquet:"class"`
	// number of pauses, and how long they lasted
	Pauses int64 `parquet:"pauses"`
	Time   int64 `parquet:"paused_ps"`
	// of those that began while the other link was paused itself: they pass its pause on
	PassedOn   int64 `parquet:"passed_on"`
	PassedTime int64 `parquet:"passed_on_ps"`
	First      int64 `parquet:"first_ps"` // when the first began
	Longest    int64 `parquet:"longest_ps"`
}
