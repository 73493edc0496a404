package mpi

import (
	"iter"

	"fabricast/collective/tables"
	"fabricast/node"
)

// Programs returns a launcher that runs main on every rank of one world.
func Programs(main func(*Rank)) node.Launcher { return ProgramsBy(main, nil) }

// ProgramsBy is like Programs, but table selects the algorithms of collectives that are called with
// collective.Default. If table is nil, the collectives' own defaults apply.
func ProgramsBy(main func(*Rank), table *tables.Table) node.Launcher {
	world := &group{context: node.WorldContext, table: table}
	return func(ranks int) func(rank int) node.Program {
		world.size = ranks
		return func(rank int) node.Program {
			p := &program{main: main}
			p.rank.Comm = Comm{rank: &p.rank, group: world, me: int32(rank)}
			return p
		}
	}
}

// program runs a rank as a coroutine.
type program struct {
	rank Rank
	main func(*Rank)
	next func() (struct{}, bool)
	stop func()
}

// Resume implements node.Program: it runs the coroutine until the rank has to wait.
func (p *program) Resume(ops *node.Ops) {
	p.rank.ops = ops
	if p.next == nil {
		p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
			defer p.recover()
			p.rank.yield = yield
			p.main(&p.rank)
		})
	}
	if _, more := p.next(); !more && !ops.Failed() {
		ops.Exit()
	}
}

// Stop implements node.Stopper: it unwinds the coroutine.
func (p *program) Stop() {
	if p.stop != nil {
		p.stop()
	}
}

// recover converts a panic of the program to the run's error. It runs before the stack is unwound,
// so that the error can say where the panic occurred.
func (p *program) recover() {
	switch v := recover(); v {
	case nil, errReleased:
	default:
		p.rank.ops.Fail(node.NewPanicError(v))
	}
}
