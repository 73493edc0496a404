package trace

// Trace is an opened trace. It is either a [Source], in which each rank performs its actions in
// sequence, or a [Graph], in which each rank has tasks with dependencies between them.
type Trace interface {
	// Format returns the format's name, such as "OTF2".
	Format() string
	// Ranks returns the number of ranks.
	Ranks() int
	// Groups returns the groups of ranks, such as the groups of MPI communicators. Each lists the
	// world ranks of its members by rank in the group; nil means all ranks in order. The first
	// group is the world.
	Groups() [][]int32
}

// Graph is an opened trace of tasks. Its methods are safe for concurrent use.
type Graph interface {
	Trace
	// OpenTasks returns a stream of the tasks of a rank. If it fails, the stream is nil.
	OpenTasks(rank int) (TaskStream, error)
}

// InTurn returns a function that opens streams of tasks as OpenTasks does, but each only until the next
// one is opened. All streams together take no more memory than one. It is best if most ranks are
// opened in ascending order. The function must not be used by several goroutines at once.
func InTurn(g Graph) func(rank int) (TaskStream, error) {
	if s, ok := g.(interface {
		InTurn() func(rank int) (TaskStream, error)
	}); ok {
		return s.InTurn()
	}
	return g.OpenTasks
}

// Short reports whether all tasks of a trace fit into memory, so that a replay may read the tasks of
// a rank to their end at once.
func Short(g Graph) bool {
	s, ok := g.(interface{ Short() bool })
	return ok && s.Short()
}

// TaskStream yields the tasks of one rank. It must not be used by several goroutines at once.
//
// Tasks are numbered from 0 in the order of the stream, which need not be the order in which they
// run. A replay looks ahead by a limited number of tasks, so a stream should yield tasks roughly in
// the order of their dependencies, such that most refer to earlier tasks.
type TaskStream interface {
	// Next reads the next task. It returns io.EOF after the last one, and an *Error if the rest of
	// the trace cannot be read. It reuses the memory of the slices of t and overwrites all other
	// fields.
	Next(t *Task) error
	// Faults counts the faults of the trace that the stream has corrected so far.
	Faults() Faults
	// Recorded returns the recorded time, in ps, from the first event of the rank to the last event
	// read so far; 0 if the trace has no times.
	Recorded() int64
	// Events returns the number of tasks and other entries that the stream has read so far.
	Events() int64
}

// TaskKind is the kind of a task.
type TaskKind uint8

// Values of TaskKind.
const (
	// TaskCompute occupies its lane for a duration, and may send messages during that time.
	TaskCompute TaskKind = iota
	// TaskSend sends a message. It ends when the send buffer may be reused.
	TaskSend
	// TaskReceive receives a message. It starts when the receive is posted and ends when the
	// message has arrived. It occupies no lane.
	TaskReceive
	// TaskCollective takes part in a collective. It occupies no lane while it waits for other
	// ranks. The collectives of a group run one after the other, in the order of the stream.
	TaskCollective
	// TaskNothing takes no time. It represents tasks that only join dependencies, and tasks that
	// cannot be replayed.
	TaskNothing
	// TaskUntil ends at a time that is given by Duration, counted from the start of the rank, or at
	// once if that time has passed. It occupies no lane.
	TaskUntil
)

// Task is an action that a rank performs as soon as all its dependencies are satisfied. Which
// fields are used depends on the kind. A dependency relates two tasks of the same rank. It is
// stored in either of them: in After or Started of the waiting task, or in Before or BeforeAt of
// the task that the waiting task depends on.
type Task struct {
	Kind TaskKind
	// Lane is the index, from 0, of the processor or accelerator queue of the rank that runs a
	// TaskCompute. A lane runs one task at a time, and next the task that has been eligible for the
	// longest time.
	Lane     int32
	Duration int64        // ps, of TaskCompute and TaskUntil
	Sends    []OffsetSend // of TaskCompute, by ascending offset
	// of TaskSend and TaskReceive; Receive matches the kind, Request is not used
	Message  Message
	NIC      int32     // of TaskSend: 1 + the index of the sending NIC; 0: not specified
	Call     Operation // of TaskCollective
	Name     string    // name of the task for reports; empty if the trace has no names
	Skipped  string    // why a TaskNothing is not replayed; empty if there was nothing to replay
	After    []int64   // indices of tasks that must end before this one starts ("requires" in GOAL)
	Started  []int64   // indices of tasks that must start before this one starts ("irequires" in GOAL)
	Before   []int64   // indices of tasks that must not start before this one has ended
	BeforeAt []int64   // indices of tasks that must not start before this one has started
	Awaits   int64     // number of entries with this task's index in Before and BeforeAt of other tasks
}

// OffsetSend is a message that is sent while its task runs.
type OffsetSend struct {
	Offset  int64 // ps since the task's start, 0 to the task's duration
	Message Message
}
