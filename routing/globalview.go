package routing

// GlobalView is a View that also tells of the queues of other routers, as they
// were some time ago: every router publishes the lengths of its queues just before the
// times k T, for whole k, and they are known everywhere from (k+1) T until
// (k+2) T. The delay makes it the same for every partition of the network among workers, and exact.
type GlobalView interface {
	View
	// Published is the PortQueue of a router's output that is known now, in flits;
	// 0 before 2 T.
	Published(router int32, port uint16) int64
}

// Informed is implemented by adaptive algorithms that need a GlobalView. Who
// cannot give one must refuse them.
type Informed interface {
	Adaptive
	// Interval is T in ps.
	Interval() int64
}

const (
	// DefaultInterval is the T of an algorithm that is not given another: 1 us.
	DefaultInterval int64 = 1_000_000
	// MinInterval and MaxInterval bound T: 1 ns and 1 ms. The engine advances in windows
	// no longer than T, so a T below its lookahead costs time.
	MinInterval int64 = 1_000
	MaxInterval int64 = 1_000_000_000
)
