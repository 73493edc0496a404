package trace

// Trace is an opened trace. It is either a [Source], whose ranks perform one action after the
// other, or a [Graph], whose ranks have tasks that depend on each other.
type Trace interface {
	// Format returns the format's name, such as "OTF2".
	Format() string
	// Ranks returns the number of ranks.
	Ranks() int
	// Groups lists the groups of ranks. A group lists the world ranks of its members in the group's
	// order; nil means all ranks in their order. The first group is the world.
	Groups() [][]int32
}

// Graph is an opened trace of tasks. Its methods are safe for concurrent use.
type Graph interface {
	Trace
	// OpenTasks starts to read the tasks of a rank. With an error the stream is nil.
	OpenTasks(rank int) (TaskStream, error)
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
	// Next reads the next task. It returns io.EOF after the last one, and an *Error where the trace
	// cannot be read any further. It reuses the slices of t and overwrites everything else.
	Next(t *Task) error
	// Faults returns the faults corrected while reading so far.
	Faults() Faults
	// Recorded returns the time, in ps, from the first event to the last one read so far, as
	// recorded; 0 if the trace has no times.
	Recorded() int64
	// Events returns the number of tasks, or other entries, of the trace that have been read so
	// far.
	Events() int64
}

// TaskKind is the kind of a task.
type TaskKind uint8

// Values of TaskKind.
const (
	// TaskCompute occupies its lane for a duration, and may send messages during that time.
	TaskCompute TaskKind = iota
	// TaskSend sends a message. It ends when the message's buffer may be used again.
	TaskSend
	// TaskReceive receives a message. It starts when the receive is posted and ends when the
	// message has arrived. It occupies no lane.
	TaskReceive
	// TaskCollective takes part in a collective. It occupies no lane while it waits for other
	// ranks. The collectives of a group run one after the other, in the order of the stream.
	TaskCollective
	// TaskNothing takes no time. It stands for tasks that only join dependencies, and for tasks
	// that cannot be replayed.
	TaskNothing
)

// Task is an action that a rank performs once everything it depends on has happened. Which fields
// are used depends on the kind. Dependencies are between tasks of the same rank. They may be stated
// at either end: in After and Started of the waiting task, or in Before and BeforeAt of the task it
// waits for.
type Task struct {
	Kind TaskKind
	// Lane is the index, from 0, of the processor or accelerator queue of the rank that runs a
	// TaskCompute. A lane runs one task at a time: of the eligible tasks, the one that has been
	// eligible for the longest time.
	Lane     int32
	Duration int64        // ps, of TaskCompute
	Sends    []OffsetSend // of TaskCompute, by ascending offset
	// of TaskSend and TaskReceive; Receive agrees with the kind, Request is not used
	Message  Message
	NIC      int32     // of TaskSend: 1 + the NIC that the message leaves by; 0: not stated
	Call     Operation // of TaskCollective
	Name     string    // of the task, if the trace has names, for reports; may be empty
	Skipped  string    // why a TaskNothing is not replayed; empty if there was nothing to replay
	After    []int64   // numbers of tasks that must have ended ("requires")
	Started  []int64   // numbers of tasks that must have started ("irequires")
	Before   []int64   // numbers of tasks that must not start before this one has ended
	BeforeAt []int64   // numbers of tasks that must not start before this one has started
	Awaits   int64     // number of times that other tasks name this one in Before and BeforeAt
}

// OffsetSend is a message that is sent while its task runs.
type OffsetSend struct {
	Offset  int64 // ps since the task's start, 0 to the task's duration
	Message Message
}
