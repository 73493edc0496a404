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

// setUp calls build, which may take seconds for a large experiment. If the context ends first,
// setUp returns an *failure.InterruptedError at once, and calls drop with the value when build is
// done.
func setUp[T any](ctx context.Context, ranks int, build func() (T, error), drop func(T)) (T, error) {
	value, abandoned, err := ctxwait.Do(ctx, build, drop)
	if abandoned {
		err = &failure.InterruptedError{Ranks: ranks, Err: err, SettingUp: true}
	}
	return value, err
}

// worthTrimming is the size of the heap (bytes) from which on it is trimmed: that takes less than a
// hundredth of the time in which so much was set up.
const worthTrimming = 64 << 20

// trim gives back what setting up a large run has left behind. The garbage collector would do so
// only once the heap has doubled, and the run would take as much more memory until then.
func trim() {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc >= worthTrimming {
		debug.FreeOSMemory()
	}
}

// cutTogether returns a plan whose network is cut by the traffic that is expected, if it is cut by its
// graph, and as the first process cuts it: a library that cuts networks may be another on another
// machine, and find another cut. All processes must call it at the same place of the run, and none
// may be interrupted while they tell each other the cut.
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

// fromFirst returns the list of the first process, which is nil or has so many values.
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
