package replay

import (
	"fmt"

	"fabricast/mpi"
	"fabricast/trace"
)

// stage is the progress of a task.
type stage uint8

const (
	named     stage = iota // named by another task, but not read
	waiting                // waiting for other tasks
	ready                  // eligible
	submitted              // to the node, where its operation waits for the processor
	// likewise submitted; its end is known, but its start has not been reported
	submittedEnded
	submittedBegun // a computation in pieces, of which the first has started
	running
)

// task is a task that has been read, or named by another one, and has not ended. It holds no
// pointers, like all of a rank's state. It fits into one cache line, because there are many tasks.
type task struct {
	number int64
	// bytes of a message or a collective; duration of a computation (ps)
	size int64
	slot int32 // the rank's number in its block
	// missing is the number of unmet dependencies; negative if the task was named but has not been
	// read.
	missing int32
	awaits  int32  // number of tasks that have yet to name this one in Before or BeforeAt; likewise
	next    uint32 // next in the list of eligible tasks, or of those that wait for a lane
	edges   list   // tasks that wait for this one
	message place
	// rest is, for a send, 1 + the NIC to use, or 0; for other tasks, the index of the task's rest,
	// or 0.
	rest   uint32
	stage  stage
	kind   trace.TaskKind
	call   trace.CollectiveKind
	uneven bool
}

// rest holds the fields that few tasks need.
type rest struct {
	worked int64 // ps of the computation that have been done
	sends  list  // messages of a computation that have not been sent
	blocks list  // blocks of an uneven collective
	flow   mpi.Flow
}

// lane returns the lane of a computation.
func (t *task) lane() int32 { return t.message.peer }

// place identifies the peer of a message, the kind of a collective, or the lane of a computation.
type place struct {
	peer  int32 // the other rank; the root of a collective; the lane of a computation
	tag   int32
	group int32
}

// edge says that a task waits for another one.
type edge struct {
	next    uint32
	waits   uint32 // the task that waits
	atStart bool   // it waits only for the start of the other task
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
