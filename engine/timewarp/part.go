package timewarp

import (
	"fabricast/engine"
	"fabricast/internal/cluster"
)

// Part is a part of a model that can be undone. Parts share no memory. What they send to each other
// are bytes. The length of their windows is fixed, and nothing that a part sends in a window has an
// effect before the next one.
//
// Its Next, Sent and Work are part of its state, and the same state and the same window give the same.
type Part interface {
	engine.Stateful
	// Packed returns what the last Run has sent to another part; nothing if that is nothing. It is
	// valid until the next Run.
	Packed(to int) []byte
	// Receive takes in what another part has sent in one window. It is called before the first Run
	// of a later window, in the order in which the other part has sent.
	Receive(from int, data []byte)
	// Packets returns how many packets have moved so far.
	Packets() uint64
}

// Options says how far parts run ahead, and with whom.
type Options struct {
	// Group has the processes that share the run; nil if there is one. Each has the same number of
	// parts: parts are numbered from those of the first process on.
	Group cluster.Group
	// Control carries control messages of processes in their exchanges; nil: none.
	Control *cluster.Control
	// GVT, if it is not nil, is called between rounds with each new GVT.
	GVT func(window int64)
	// Batch is how many windows a part executes at most beyond the global virtual time (GVT), and
	// between two looks at what other workers have sent. Fewer are executed where rollbacks and saved
	// states take more time than meeting more often.
	Batch int
	// Static makes every batch one of Batch windows.
	Static bool
	// Throttle is what an earlier run of the same parts has found to be a good batch; nil: none.
	Throttle *Throttle
	// Interval is how many rounds, of a batch each, pass between two collections of what lies
	// before GVT.
	Interval int
	// Until, if it is not 0, ends the run before a window: parts execute none from that one on.
	Until int64
	// Check makes parts execute each window twice: it is undone, the state is compared with the one
	// before, and the window is executed again, which must give the same.
	Check bool
}
