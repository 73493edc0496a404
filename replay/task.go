package replay

import (
	"fmt"

	"fabricast/mpi"
	"fabricast/trace"
)

// stage is the state of a task.
type stage uint8

const (
	named     stage = iota // a dependency refers to the task, which has not been read
	waiting                // waiting for other tasks
	ready                  // eligible
	submitted              // passed to the node, where its operation waits for the processor
	// submitted; its end has been reported, but its start has not
	submittedEnded
	submittedBegun // submitted; a computation in pieces, whose first piece has started
	running
)

// task is a task that has not ended, and that has been read or is named (see the stage of that
// name). It contains no pointers, like all state of a rank. It fits into one cache line, because
// there are many tasks.
type task struct {
	number int64
	// size of a message or collective in bytes, or duration of a computation in ps
	size int64
	slot int32 // index of the rank in its partition block
	// missing is the number of unsatisfied dependencies. It may be negative until the task is read.
	missing int32
	awaits  int32  // number of Before and BeforeAt entries with this task still to be read; may be negative, too
	next    uint32 // next task in the list of eligible tasks or in the queue of a lane
	edges   list   // tasks that wait for this one
	message place
	// rest of a send is 1 + the NIC to use, or 0. For other tasks, it is an index in crew.rests, or
	// 0.
	rest   uint32
	stage  stage
	kind   trace.TaskKind
	call   trace.CollectiveKind
	uneven bool
}

// rest holds the fields of a task that few tasks need.
type rest struct {
	worked int64 // ps of the computation already done
	sends  list  // messages of a computation not yet sent
	blocks list  // data block sizes of an uneven collective
	flow   mpi.Flow
}

// lane returns the lane of a computation.
func (t *task) lane() int32 { return t.message.peer }

// place holds the peer, tag and group of a message, the root and group of a collective, or the lane
// of a computation.
type place struct {
	peer  int32 // the other rank; the root of a collective; the lane of a computation
	tag   int32
	group int32
}

// edge is a dependency, stored in the list of the task that another task waits for.
type edge struct {
	next    uint32
	waits   uint32 // the waiting task
	atStart bool   // the waiting task only waits for the start
}

// leaving is a message that a computation sends while it runs.
type leaving struct {
	next    uint32
	message place
	offset  int64 // ps of computation since the start of the task
	size    int64 // bytes
}

// blockSize is the size of a data block of an uneven collective.
type blockSize struct {
	next uint32
	size int64
}

// lane is a processor of a rank that computes in parallel with the other lanes.
type lane struct {
	next    uint32 // next lane of the rank
	number  int32
	running uint32 // the running task, or 0
	queue   list   // eligible tasks that wait for the lane
}

// latest is the last collective that a rank has read of a group.
type latest struct {
	next   uint32 // next group of the rank
	group  int32
	number int64
}

// dependencyError reports that the dependencies of a task are invalid.
type dependencyError struct {
	rank   int
	number int64 // index of the task
	what   string
}

func (e *dependencyError) Error() string {
	return fmt.Sprintf("rank %d: task %d %s", e.rank, e.number, e.what)
}
