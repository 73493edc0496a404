package cmpi

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"fabricast/cmpi/internal/agreement"
	"fabricast/cmpi/internal/exchanges"
	"fabricast/cmpi/internal/findings"
	"fabricast/cmpi/internal/host"
	"fabricast/cmpi/internal/sites"
	"fabricast/collective/splits"
	"fabricast/collective/tables"
	"fabricast/fabric"
	"fabricast/internal/input"
	"fabricast/node"
)

// Job is a program of MPI, loaded for a number of ranks. A job is run once.
type Job struct {
	host    *host.Job
	options Options
	splits  splits.Table[meeting, newcomers]
	windows windows
	table   *tables.Table
	placed  bool                // the table depends on where ranks are
	sites   *sites.Sites        // places of calls in the source; nil if nothing depends on them
	lines   func() *sites.Sites // the same for messages; nil if the program has no line numbers
	once    sync.Once
	self    int32  // context of all MPI_COMM_SELFs
	order   *order // nil unless output is ordered (see InOrder)
	held    []byte // output that was held back at a checkpoint
	// largest message in bytes that is sent without resuming the rank (see host.SendWhole)
	small int32

	agreement *agreement.Agreement

	abroad *abroad               // nil unless several processes share the run, or it may go on in several
	crash  atomic.Pointer[crash] // nil: none has

	mutex     sync.Mutex // of what follows
	exchanges exchanges.Exchanges
	// of the ranks that have ended, here and after Settle elsewhere; mismatches are those elsewhere
	found findings.Findings
}

// Default stack sizes in bytes: the usual limit of processes, and that for more than many ranks.
const (
	stackFew  = 8 << 20
	stackMany = 1 << 20
	many      = 16384
)

// UnfitError is the refusal of a file that is no program built by the wrappers, or is not there.
type UnfitError = host.UnfitError

// Load loads a program that was built by one of the wrapper compilers (see Install). It returns an
// error if the file cannot be loaded, if an option is invalid, or if this build cannot run programs
// in C.
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
	if err := readable(absolute); err != nil {
		return nil, err
	}
	var places *sites.Sites
	if table.Sites() {
		if places, err = sites.Read(absolute); err != nil {
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
	job := &Job{
		host:      j,
		options:   o,
		windows:   windows{open: map[meeting]*window{}},
		agreement: agreement.New(o.Types != TypesIgnored),
		table:     table,
		placed:    table.Placed(),
		sites:     places,
	}
	job.lines = sync.OnceValue(func() *sites.Sites {
		s, _ := sites.Read(absolute)
		return s
	})
	job.checkTypes()
	return job, nil
}

// readable returns an *UnfitError for what cannot be a program: what is not there, or no regular file,
// such as a pipe, which the loader would wait for.
func readable(path string) error {
	file, _, err := input.Open(path, input.Program)
	if err != nil {
		return &UnfitError{Text: err.Error()}
	}
	return file.Close()
}

// Launcher returns a launcher for a world of as many ranks as the job was loaded for.
func (j *Job) Launcher() node.Launcher {
	return func(int) func(rank int) node.Program {
		b := &block{job: j, list: host.NewList(), reduction: newReduction()}
		return func(rank int) node.Program { return &program{block: b, id: rank} }
	}
}

// TwoSided reports whether the program uses neither one-sided communication nor synchronous sends,
// so that NICs never have to answer.
func (j *Job) TwoSided() bool { return !j.host.Answers() }

// newRank makes the C side of a rank.
func (j *Job) newRank(ops *node.Ops) *host.Rank {
	j.once.Do(func() {
		j.self = ops.World().NewContexts(node.Creation{Kind: node.CreatedOfSelf}, []int32{0})
		j.small = int32(min(host.Small, ops.World().EagerUpTo()))
	})
	var r *host.Rank
	j.watched(func() { r = j.host.NewRank(ops.Rank()) })
	r.SelfContext, r.Host = j.self, int32(ops.World().HostOf(ops.Rank()))
	r.NICs, r.MaxGap = int32(ops.World().NICs()), fabric.MaxGap
	return r
}

// ended returns the error with which a rank has ended; nil if it ended normally.
func (j *Job) ended(p *program) error {
	r := p.rank
	call := p.Doing()
	switch r.Why {
	case host.Abort:
		return &AbortError{Code: int(r.Code)}
	case host.Failed:
		return fmt.Errorf("%s: %s", call, host.Text(r.Message))
	case host.Crashed:
		text := host.Text(r.Message)
		if r.Fault != 0 {
			text += j.place(r.Fault)
		}
		if call != "" {
			text += " (the last call was " + call + ")"
		}
		if r.Fault == 0 {
			j.crashed(p, text)
		}
		return errors.New(text)
	}
	code, unfinished := int(r.Code)&0xff, r.Initialized != 0 && r.Finalized == 0
	if unfinished && code != 0 {
		return fmt.Errorf(
			"the program ended with exit code %d without calling MPI_Finalize (the last call was %s)",
			r.Code, call,
		)
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if unfinished {
		j.found.Unfinished.Add(findings.Group{Ranks: 1, First: p.id})
	}
	j.exchanges.Add(p.id, r.Blocked())
	if code != 0 {
		j.found.Exits.Add(findings.Exits{Rank: p.id, Code: code, Count: 1})
	}
	if n := int(r.Leaks); n > 0 {
		j.found.Pending.Add(findings.Leaks{Requests: n, Of: findings.Group{Ranks: 1, First: p.id}})
	}
	return nil
}

// AbortError reports that a rank has called MPI_Abort.
type AbortError struct{ Code int }

func (e *AbortError) Error() string { return fmt.Sprintf("MPI_Abort was called with code %d", e.Code) }

// ExitCode returns the exit code for the process: the low 8 bits of the code, at least 1.
func (e *AbortError) ExitCode() int { return max(e.Code&0xff, 1) }

// ExitError reports that ranks have ended with a nonzero exit code.
type ExitError struct{ Rank, Code, Others int }

func (e *ExitError) Error() string {
	if e.Others > 0 {
		return fmt.Sprintf(
			"rank %d exited with code %d, and %d other ranks with a code that is not 0",
			e.Rank, e.Code, e.Others,
		)
	}
	return fmt.Sprintf("rank %d exited with code %d", e.Rank, e.Code)
}

// ExitCode returns the exit code for the process.
func (e *ExitError) ExitCode() int { return e.Code }

// Err returns what is wrong after a run without errors: collectives or datatypes that do not match,
// or an *ExitError; nil if nothing is wrong.
func (j *Job) Err() error {
	if err := errors.Join(j.Mismatch(), j.typesErr()); err != nil {
		return err
	}
	if n := len(j.Warnings()); j.options.Strict && n > 0 {
		return fmt.Errorf("%d of the warnings are errors, as the run is strict", n)
	}
	exits := j.found.Exits
	if exits.Count == 0 {
		return nil
	}
	return &ExitError{exits.Rank, exits.Code, exits.Count - 1}
}
