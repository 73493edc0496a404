package record

// StepsTable holds what each rank did, and why it waited, for the critical path.
const StepsTable = "steps.parquet"

// Values of Step.Cause.
const (
	CauseNone    = "none"
	CauseMessage = "message" // an eager message, or a put, from the peer has arrived
	CauseRequest = "request" // the request of a rendezvous with the peer has arrived
	CauseData    = "data"    // the data of a rendezvous with the peer has arrived
	CauseFetch   = "fetch"   // the rank's NIC has read a message to the peer from memory
	CauseMatch   = "match"   // a synchronous send to the peer has met its receive
	CauseTimer   = "timer"   // a computation that ran beside the rank's program has ended
	CauseAccess  = "access"  // a one-sided operation on memory of the peer is complete
	CauseTurn    = "turn"    // the rank's NIC can take the next message
	CausePolling = "polling" // tests and probes that failed
	CauseSend    = "send"    // software of a send, or of a one-sided operation, to the peer
)

// Step is a row of steps.parquet: a period in which a rank does one thing. The periods of a rank follow
// one another without gaps. For a wait, the cause is what ended it; for software time, what it is spent
// on.
type Step struct {
	Rank       int32  `parquet:"rank" holds:"rank"`
	Begin      int64  `parquet:"begin_ps"`
	End        int64  `parquet:"end_ps,delta"`
	State      string `parquet:"state,dict" holds:"of compute overhead send receive-wait wait"`
	Cause      string `parquet:"cause,dict" holds:"of none message request data fetch match timer access turn polling send"`
	Collective string `parquet:"collective,dict"`           // collective of the message, or ""
	Peer       int32  `parquet:"peer" holds:"rank or none"` // world rank; -1 if there is none
	Tag        int32  `parquet:"tag" holds:"any"`
	Bytes      int64  `parquet:"payload_bytes"`
	From       int64  `parquet:"from_ps"` // time at which the send, the operation or the computation was called
	// time at which the receiver's NIC answered the request of a rendezvous, or at which a synchronous
	// send met its receive; 0 if there is none
	Via   int64 `parquet:"via_ps"`
	Late  int8  `parquet:"receive_late"` // 1: what happened at via_ps had to wait for the receive
	Done  int64 `parquet:"done_ps"`      // time at which what the rank waited for was complete
	Noise int64 `parquet:"noise_ps"`     // part of the period, at its end, that other processes took
}
