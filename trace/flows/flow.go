package flows

import "fabricast/trace"

// Limits of a set of flows.
const (
	MaxRanks = 1 << 22
	MaxFlows = 1 << 28
	MaxBytes = 1 << 40 // of a flow
	MaxTime  = 1 << 61 // of a start, in ps
)

// Flow is a message from one host to another.
type Flow struct {
	Src, Dst int32
	Size     int64 // bytes
	Start    int64 // time in ps since the start of the trace, of a flow without a trigger
	Trigger  int32 // 1 + the index of the trigger that starts the flow; 0: it starts at Start
}

// Trigger starts flows when all of its events have happened.
type Trigger struct{ Events []Event }

// Event is the end of a flow at its source, when its buffer may be reused, or at its destination,
// when all of it has arrived.
type Event struct {
	Flow     int32
	Received bool // at the destination
}

// Set is the contents of a flow file.
type Set struct {
	Format   string
	Ranks    int
	Flows    []Flow
	Triggers []Trigger
	// Omitted says, each in a few words, what of the file has no influence on a replay.
	Omitted []string
}

// entryKind is the kind of an entry.
type entryKind uint8

const (
	note          entryKind = iota // something that is omitted; index: in Set.Omitted
	receive                        // index: flow
	send                           // index: flow
	until                          // index: a flow that starts at the time
	signal                         // tells another host of an event; index: signal
	signalReceive                  // receive of a signal; index: signal
)

// entry is a task of a rank.
type entry struct {
	kind  entryKind
	index int32
	after int32 // until and send: number of the task that it follows, -1 if none
}

// signalTo is a message without data that tells the host of a triggered flow of an event at another
// host.
type signalTo struct {
	event    Event
	from, to int32
	received int32 // number of the task that receives it
}

// graph is a set of flows as a trace.Graph.
type graph struct {
	*Set
	tasks    [][]entry // by rank
	sendAt   []int32   // by flow: number of its task at the source
	receives []int32   // by flow: number of its task at the destination
	signals  []signalTo
	told     map[tellKey]int32 // signals by whom they tell of what
}

// tellKey identifies a signal.
type tellKey struct {
	event Event
	to    int32
}

// New makes a trace of a set of flows, whose fields must be in range.
func New(s *Set) trace.Graph {
	b := newBuilder(s)
	b.notes()
	b.receive()
	b.timed()
	b.triggered()
	return b.graph
}

// Format implements trace.Trace.
func (g *graph) Format() string { return g.Set.Format }

// Ranks implements trace.Trace.
func (g *graph) Ranks() int { return g.Set.Ranks }

// Groups implements trace.Trace: all communication is in the world.
func (g *graph) Groups() [][]int32 { return [][]int32{nil} }

// Short implements trace.Short: the flows are in memory.
func (g *graph) Short() bool { return true }
