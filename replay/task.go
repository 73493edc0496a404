package replay

import (
	"fmt"

	"fabricast/mpi"
	"fabricast/trace"
)

// stage is how far a task has come.
type stage uint8

const (
	named          stage = iota // by another task; it has not been read
	waiting                     // for others
	ready                       // for its turn
	submitted                   // to the node, where its operation waits for the processor
	submittedEnded              // likewise; its end is known, and its start has not been reported
	submittedBegun              // a computation in pieces, of which the first has started
	running
)

// task is a task that has been read, or named by another one, and has not ended. It holds no
// pointers, like all of a rank's state. It takes one cache line, because there are many.
type task struct {
	number int64
	// bytes of a message or a collective; duration of a computation (ps)
	size int64
	slot int32 // the rank's number in its block
	// number of dependencies that are not met; below 0 if the task was named and has not been read
	missing int32
	awaits  int32  // how many others have yet to name it as one that waits for them; likewise
	next    uint32 // in the list of ready tasks, or of those that wait for a lane
	edges   list   // of those that wait for it
	message place
	// for a send: 1 + the NIC by which it leaves, or 0; for others: the index of the task's rest,
	// or 0
	rest   uint32
	stage  stage
	kind   trace.TaskKind
	call   trace.CollectiveKind
	uneven bool
}

// rest holds the fields that few tasks need.
type rest struct {
	worked int64 // ps of a computation that are over
	sends  list  // of a computation, those that have not left
	blocks list  // of an uneven collective
	flow   mpi.Flow
}

// lane returns the lane of a computation.
func (t *task) lane() int32 { return t.message.peer }

// place identifies the peer of a message, the kind of a collective, or the lane of a computation.
type place struct {
	peer  int32 // the other rank; of a collective its root, of a computation its lane
	tag   int32
	group int32
}

// edge says that a task waits for another one.
type edge struct {
	next    uint32
	waits   uint32 // the task that waits
	atStart bool   // only for the other one's start
}

// leaving is a message that is sent while its task runs.
type leaving struct {
	next    uint32
	message place
	offset  int64 // ps of work since the task's start
	size    int64 // bytes
}

// blockSize is the size of a block of an uneven collective.
type blockSize struct {
	next uint32
	size int64
}

// lane is a processor of a rank that computes in parallel with others.
type lane struct {
	next    uint32 // of the rank's lanes
	number  int32
	running uint32 // the task, or 0
	queue   list   // of ready tasks that wait for it
}

// latest is the last collective of a group that a rank has read.
type latest struct {
	next   uint32 // of the rank's groups
	group  int32
	number int64
}

// dependencyError says that the tasks of a rank cannot be executed.
type dependencyError struct {
	rank   int
	number int64 // of the task
	what   string
}

func (e *dependencyError) Error() string {
	return fmt.Sprintf("rank %d: task %d %s", e.rank, e.number, e.what)
}
