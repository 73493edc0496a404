package cmpi

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/node"
)

// Options say how a program is run.
type Options struct {
	Ranks int
	// Stack is the most that a rank's stack may grow to, in bytes; 0: 8 MiB, or 1 MiB with many ranks.
	Stack int
	// Prefix begins each line that a rank prints with its number.
	Prefix bool
	// Omit has messages carry sizes only: what is received keeps its old contents.
	Omit bool
	// Compute is what computation costs, and Factor what host time is multiplied by where it counts; 0: 1.
	Compute Compute
	Factor  float64
	// Output is where the ranks' standard output goes; nil: the process's.
	Output *os.File
	// Table tells which algorithm a collective runs; nil: the table "default".
	Table *collective.Table
	// Types is what is done where receivers take bytes for something else than senders.
	Types Types
	// Algorithms go before the table.
	Algorithms map[collective.Kind]collective.Algorithm
}

// Job is a program of MPI, loaded for a number of ranks. A job is run once.
type Job struct {
	host    *host.Job
	path    string
	options Options
	splits  collective.Splits[meeting, newcomers]
	windows windows
	table   *collective.Table
	sites   *sites // nil unless something depends on them
	once    sync.Once
	self    int32  // context of all MPI_COMM_SELFs
	order   *order // nil unless output is held back, see InOrder
	small   int32  // bytes of messages that are sent without the rank being resumed for it, see host.SendWhole

	agreement agreement

	mutex   sync.Mutex
	exits   exits
	pending leaks
}

// Stacks of ranks: the usual limit of processes, and what many of them get.
const (
	stackFew  = 8 << 20
	stackMany = 1 << 20
	many      = 16384
)

// Load reads a program that one of the wrapper compilers (see Install) has built.
func Load(path string, args []string, o Options) (*Job, error) {
	if err := host.Missing(); err != nil {
		return nil, err
	}
	if o.Stack == 0 {
		o.Stack = stackFew
		if o.Ranks > many {
			o.Stack = stackMany
		}
	}
	table, err := o.table()
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	var places *sites
	if table.Sites() {
		if places, err = readSites(absolute); err != nil {
			return nil, err
		}
	}
	j, err := host.Load(absolute, append([]string{path}, args...), o.Ranks, o.Stack)
	if err != nil {
		return nil, err
	}
	j.Options(o.Prefix, o.Omit, o.speed(), o.Compute == ComputeSampled)
	if o.Output != nil {
		host.Redirect(o.Output.Fd())
	}
	job := &Job{host: j, path: absolute, options: o, windows: windows{open: map[meeting]*window{}}, agreement: agreement{open: map[turn]*attendance{}}, table: table, sites: places}
	job.checkTypes()
	return job, nil
}

// Launcher makes the job the program of a world of as many ranks as it was loaded for.
func (j *Job) Launcher() node.Launcher {
	return func(int) func(rank int) node.Program {
		b := &block{job: j, list: host.NewList()}
		return func(rank int) node.Program { return &program{block: b, id: rank} }
	}
}

// TwoSided tells that NICs never have to answer: the program uses neither one-sided communication nor
// synchronous sends.
func (j *Job) TwoSided() bool { return !j.host.Answers() }

// newRank makes the C side of a rank.
func (j *Job) newRank(ops *node.Ops) *host.Rank {
	j.once.Do(func() {
		j.self = ops.World().NewContexts([]int32{0})
		j.small = int32(min(host.Small, ops.World().EagerUpTo()))
	})
	r := j.host.NewRank(ops.Rank())
	r.SelfContext, r.Host = j.self, int32(ops.World().HostOf(ops.Rank()))
	r.NICs, r.MaxGap = int32(ops.World().NICs()), fabric.MaxGap
	return r
}

// exits are the exit codes of ranks other than 0: the one that counts is that of the lowest rank.
type exits struct{ rank, code, count int }

// leaks are requests that ranks never completed: how many, and whose they are.
type leaks struct{ requests, ranks, first int }

// ended looks at how a rank has ended.
func (j *Job) ended(p *program) error {
	r := p.rank
	call := p.Doing()
	switch r.Why {
	case host.Abort:
		return &AbortError{Code: int(r.Code)}
	case host.Failed:
		return fmt.Errorf("%s: %s", call, host.Text(r.Message))
	case host.Crashed:
		if call == "" {
			return errors.New(host.Text(r.Message))
		}
		return fmt.Errorf("%s (the last call was %s)", host.Text(r.Message), call)
	}
	if r.Initialized != 0 && r.Finalized == 0 {
		return fmt.Errorf("the program ended with exit code %d without calling MPI_Finalize (the last call was %s)", r.Code, call)
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if code := int(r.Code) & 0xff; code != 0 {
		if j.exits.count == 0 || p.id < j.exits.rank {
			j.exits.rank, j.exits.code = p.id, code
		}
		j.exits.count++
	}
	if n := int(r.Leaks); n > 0 {
		if j.pending.ranks == 0 || p.id < j.pending.first {
			j.pending.first = p.id
		}
		j.pending.requests += n
		j.pending.ranks++
	}
	return nil
}

// AbortError says that a rank has called MPI_Abort.
type AbortError struct{ Code int }

func (e *AbortError) Error() string { return fmt.Sprintf("MPI_Abort was called with code %d", e.Code) }

// ExitCode is what the process should exit with.
func (e *AbortError) ExitCode() int { return max(e.Code&0xff, 1) }

// ExitError says that ranks have ended with an exit code other than 0.
type ExitError struct{ Rank, Code, Others int }

func (e *ExitError) Error() string {
	if e.Others > 0 {
		return fmt.Sprintf("rank %d exited with code %d, and %d other ranks with a code that is not 0", e.Rank, e.Code, e.Others)
	}
	return fmt.Sprintf("rank %d exited with code %d", e.Rank, e.Code)
}

// ExitCode is what the process should exit with.
func (e *ExitError) ExitCode() int { return e.Code }

// Err is what is wrong after a run without errors: collectives that do not match, or an *ExitError; nil if nothing is.
func (j *Job) Err() error {
	if err := errors.Join(j.Mismatch(), j.typesErr()); err != nil {
		return err
	}
	if j.exits.count == 0 {
		return nil
	}
	return &ExitError{j.exits.rank, j.exits.code, j.exits.count - 1}
}
