package ethernet

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// stage is a network that is run up to some time, recorded.
type stage struct {
	n          *Network
	steps      *engine.Steps
	ended, got []int64
	bins       *binned
}

func newStage(t *testing.T, spec Spec, flows []flow, blocks int) *stage {
	t.Helper()
	n, err := New(spec, blocks)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{n: n, bins: &binned{links: map[int32]fabric.PortUse{}}}
	n.Observe(fabric.Observation{Interval: units.Time(700_000), MaxBins: 32, Buffers: true, Sink: s.bins})
	n.Follow(Following{Most: 5, Interval: 1_000_000})
	list, ended, got := inhabit(n, flows)
	s.steps, s.ended, s.got = engine.NewSteps(list, 1<<20, 1<<40), ended, got
	return s
}

// advance runs a stage up to a time (ps). It reports whether something is left to do; failed: packets are lost in
// step for ever.
func (s *stage) advance(until int64) (left, failed bool) {
	var stop atomic.Bool
	err := s.steps.Advance(until, &stop)
	return err == nil && !s.steps.Quiet(), err != nil
}

// next returns a network that has the state of a stage, which it leaves as it is.
func (s *stage) next(t *testing.T, spec Spec, flows []flow) *stage {
	t.Helper()
	type chunk struct {
		bytes []byte
		last  bool
	}
	var file []chunk
	none := func(*snapshot.Visitor) {}
	err := snapshot.Write(func(b []byte, last bool) error {
		file = append(file, chunk{slices.Clone(b), last})
		return nil
	}, func(v *snapshot.Visitor) { SectionsOf(s.n).Save(v, none) })
	if err != nil {
		t.Fatal(err)
	}
	to := newStage(t, spec, flows, len(s.n.blocks))
	err = snapshot.Read(func() ([]byte, bool, error) {
		if len(file) == 0 {
			return nil, false, nil
		}
		c := file[0]
		file = file[1:]
		return c.bytes, c.last, nil
	}, func(v *snapshot.Visitor) { SectionsOf(to.n).Restore(v, 1, true, none) })
	if err != nil {
		t.Fatal(err)
	}
	to.steps.Begin(s.steps.Windows())
	copy(to.ended, s.ended)
	copy(to.got, s.got)
	to.bins.rows = slices.Clone(s.bins.rows)
	return to
}

// TestResumed: networks that go on from the states of others, saved at several times, end as those that are not
// interrupted, with the same records.
func TestResumed(t *testing.T) {
	resumed := 0
	for seed := range draws.Seeds(16, 5_000) {
		r := rand.New(rand.NewPCG(seed, 19))
		spec := drawSpec(t, r)
		flows := drawFlows(r, &spec)
		blocks := 1 + r.IntN(3)
		whole := newStage(t, spec, flows, blocks)
		if _, failed := whole.advance(math.MaxInt64); failed {
			continue
		}
		part := newStage(t, spec, flows, blocks)
		for at := int64(0); ; {
			at += 1 + r.Int64N(max(1<<20, 2*at))
			if left, _ := part.advance(at); !left {
				break
			}
			part = part.next(t, spec, flows)
			resumed++
		}
		part.advance(math.MaxInt64)
		for _, s := range []*stage{whole, part} {
			s.n.EndObservation(fabric.Forever - 1)
			slices.Sort(s.bins.rows)
		}
		const until = 1 << 40
		if !slices.Equal(part.ended, whole.ended) || !slices.Equal(part.got, whole.got) || part.n.Counts() != whole.n.Counts() ||
			!reflect.DeepEqual(part.n.Followed(until), whole.n.Followed(until)) ||
			!slices.Equal(part.n.Pausings(until), whole.n.Pausings(until)) {
			t.Fatalf("seed %d: resumed:\n%v\n%v\n%+v\nat once:\n%v\n%v\n%+v", seed, part.ended, part.got, part.n.Counts(),
				whole.ended, whole.got, whole.n.Counts())
		}
		if !slices.Equal(part.bins.rows, whole.bins.rows) {
			t.Fatalf("seed %d: bins differ", seed)
		}
	}
	if resumed < 20 {
		t.Errorf("runs were resumed %d times", resumed)
	}
}
