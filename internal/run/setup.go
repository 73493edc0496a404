package run

import (
	"context"
	"runtime"
	"runtime/debug"

	"fabricast/internal/cluster"
	"fabricast/internal/ctxwait"
	"fabricast/internal/failure"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
)

// setUp calls build, which may take seconds for a large experiment. If ctx ends first, setUp
// returns a *failure.InterruptedError at once, and calls drop with the value when build returns.
func setUp[T any](ctx context.Context, ranks int, build func() (T, error), drop func(T)) (T, error) {
	value, abandoned, err := ctxwait.Do(ctx, build, drop)
	if abandoned {
		err = &failure.InterruptedError{Ranks: ranks, Err: err, SettingUp: true}
	}
	return value, err
}

// worthTrimming is the heap size (bytes) above which the heap is trimmed. Trimming then takes less
// than 1 % of the setup time.
const worthTrimming = 64 << 20

// trim returns memory to the operating system that only the setup of a large run needed. The
// garbage collector would do so only after the heap has doubled.
func trim() {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc >= worthTrimming {
		debug.FreeOSMemory()
	}
}

// cutTogether returns the plan with the partition computed by the first process. A partition by the
// network's graph considers the expected traffic. The other processes do not compute their own,
// because they may have another version of a graph partitioning library. All processes must call it
// at the same point of the run, and must not be interrupted while they exchange the partition.
func (s *settings) cutTogether(ctx context.Context, p *plan.Plan) (*plan.Plan, error) {
	together := *p
	cut := predict.CutByDemand(ctx, p)
	together.Fabric.Cut = cut
	if cut == nil || !cluster.Several(s.group) {
		return &together, nil
	}
	blocks := min(s.allBlocks(), p.Fabric.Graph.Routers)
	var list []int32
	var err error
	if cluster.First(s.group) {
		list, err = setUp(
			ctx, p.Experiment.TotalRanks(),
			func() ([]int32, error) { return cut(blocks), nil }, func([]int32) {},
		)
	}
	if err := s.settle(err); err != nil {
		return nil, err
	}
	list = fromFirst(s.group, list, p.Fabric.Graph.Routers)
	together.Fabric.Cut = func(int) []int32 { return list }
	return &together, nil
}

// fromFirst returns the first process's list, which is nil or has the given length.
func fromFirst(g cluster.Group, list []int32, length int) []int32 {
	to := make([][]byte, g.Size())
	if cluster.First(g) {
		for p := 1; p < len(to); p++ {
			to[p] = cluster.Bytes(list)
		}
	}
	from := g.Exchange(to)
	if cluster.First(g) || len(from[0]) == 0 {
		return list
	}
	list = make([]int32, length)
	copy(cluster.Bytes(list), from[0])
	return list
}
