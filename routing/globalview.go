package routing

// GlobalView is a View that also gives queue lengths at other routers, as they were some time ago.
// Every router publishes the lengths of its queues just before each time k T (k = 1, 2, …), and
// they are known everywhere from (k+1) T until (k+2) T. Thanks to this delay, the result does not
// depend on how the network is divided among workers.
type GlobalView interface {
	View
	// Published returns the PortQueue of a router's output that is known now, in flits; 0 before 2
	// T.
	Published(router int32, port uint16) int64
}

// Informed is an adaptive algorithm that needs a GlobalView. A caller that cannot provide one must
// refuse the algorithm.
type Informed interface {
	Adaptive
	// Interval returns the publishing interval T, in ps.
	Interval() int64
}

const (
	// DefaultInterval is the publishing interval T of an algorithm if the experiment gives none, in
	// ps: 1 us.
	DefaultInterval int64 = 1_000_000
	// MinInterval and MaxInterval bound the publishing interval T, in ps: 1 ns and 1 ms. The engine
	// advances in windows no longer than T, so a T below its lookahead slows the simulation down.
	MinInterval int64 = 1_000
	MaxInterval int64 = 1_000_000_000
)
