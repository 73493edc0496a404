package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// ownArbiters are arbiters that a user might write: by each memory, and by none.
var ownArbiters = []*fabric.ArbiterKind{
	nil,
	{Name: "in turn, as of its own", Memory: fabric.LastGrant},
	{Name: "longest ago, as of its own", Memory: fabric.GrantTimes},
	{Name: "smallest", Rank: func(r *fabric.Request) fabric.Rank {
		return fabric.Rank{r.Flits, r.Asked}
	}},
	{Name: "last in turn", Memory: fabric.LastGrant, Rank: func(r *fabric.Request) fabric.Rank {
		return fabric.Rank{-r.Turn, int64(r.Source)}
	}},
	{Name: "classes, then longest ago", Memory: fabric.GrantTimes, Rank: func(r *fabric.Request) fabric.Rank {
		return fabric.Rank{-int64(r.Class), r.Granted}
	}},
	{Name: "youngest", Rank: func(r *fabric.Request) fabric.Rank {
		return fabric.Rank{-r.Since - r.Posted, r.Ready - r.Asked + r.Bytes + int64(r.Destination)}
	}},
}

// flowControls are flow controls that a user might write.
var flowControls = []*fabric.FlowControl{
	nil,
	fabric.VirtualCutThrough,
	{Name: "alone", Needs: func(e *fabric.Entry) int64 { return e.Capacity }},
	{Name: "room for two", Needs: func(e *fabric.Entry) int64 { return 2 * e.Flits }},
	{Name: "room for two on entering a port", Needs: func(e *fabric.Entry) int64 {
		if e.InPort == e.OutPort^1 || e.Output {
			return 0
		}
		return 2 * e.Flits
	}},
	{Name: "by class and place", Needs: func(e *fabric.Entry) int64 {
		return int64(e.Class) * int64(e.Router+e.InVC+2*e.OutVC+2) * e.Bytes / 8
	}},
}

// own draws what users may write themselves.
func own(d draw) draw {
	return func(seed uint64) *experiments.Experiment {
		e := d(seed)
		e.Router.OwnArbiter = ownArbiters[seed%uint64(len(ownArbiters))]
		e.Router.FlowControl = flowControls[seed/uint64(len(ownArbiters))%uint64(len(flowControls))]
		return e
	}
}

// TestOwnArbitersAndFlowControls is TestGeneralAgainstOracle for arbiters and flow controls that
// are not built in.
func TestOwnArbitersAndFlowControls(t *testing.T) {
	compareMany(t, 600, 60, own(draw(experiments.DrawGeneral).from(6_000_000)), fabric.New)
	compareMany(t, 100, 20, own(draw(experiments.Draw).from(7_000_000)), fabric.New)
}

// TestArbitersAreDescribed holds every number up to the last to have a descriptor of its own.
func TestArbitersAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for i, k := range fabric.Arbiters() {
		if k.Name == "" || k.Help == "" || seen[k.Name] {
			t.Errorf("arbiter %d: %+v", i, k)
		}
		seen[k.Name] = true
	}
}
