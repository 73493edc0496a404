package node

import (
	"strings"
	"testing"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/schedule"

	"fabricast/internal/units"

	"fabricast/fabric"
)

func TestWorldRefusesWrongSpecs(t *testing.T) {
	for _, c := range []struct {
		spec model.Spec
		want string
	}{
		{model.Spec{Hosts: 2, NICsPerHost: 1, Memory: 1}, "at least one rank"},
		{model.Spec{Hosts: 2, NICsPerHost: 1, Memory: 1, HostOf: []int32{0, 2}}, "rank 1 is on host 2"},
		{model.Spec{Hosts: 2, NICsPerHost: 1, Memory: 1, HostOf: []int32{1}, Intra: model.Intra{Latency: -1}}, "latency of -1 ps"},
		{model.Spec{Hosts: 2, Memory: 1, HostOf: []int32{1}}, "0 NICs a host"},
		{model.Spec{Hosts: 2, NICsPerHost: 1, HostOf: []int32{1}}, "memory bandwidth"},
		{model.Spec{Hosts: 2, NICsPerHost: 1, Memory: 1, Overhead: -1, HostOf: []int32{1}}, "overhead of -1 ps"},
	} {
		if _, err := NewWorld(c.spec, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.spec, err, c.want)
		}
	}
}

func TestCopyTime(t *testing.T) {
	for _, c := range []struct{ size, rate, want int64 }{
		{0, 1, 0}, {1, 10e9, 100}, {3, 7, 428571428571}, {1 << 40, 10e9, 109951162777600}, {1 << 62, 1, 1<<62 - 1},
	} {
		w := &core.Shared{Spec: model.Spec{Memory: units.Rate(c.rate)}}
		if got := w.CopyTime(c.size); got != c.want {
			t.Errorf("%d bytes at %d bytes/s: %d ps, want %d", c.size, c.rate, got, c.want)
		}
	}
}

// parcels is a transport that only keeps messages and timers.
type parcels struct {
	messages []fabric.Message
	timer    int64
}

func (p *parcels) NewMessage() (fabric.MsgID, *fabric.Message) { panic("not called") }
func (p *parcels) Message(id fabric.MsgID) *fabric.Message     { return &p.messages[id] }
func (p *parcels) Attach(fabric.MsgID) *fabric.Extra           { panic("not called") }
func (p *parcels) Extra(fabric.MsgID) *fabric.Extra            { panic("not called") }
func (p *parcels) Post(fabric.MsgID)                           {}
func (p *parcels) Release(id fabric.MsgID)                     {}
func (p *parcels) SetTimer(_ int32, at int64)                  { p.timer = at }

func TestArrivalsComeInOrder(t *testing.T) {
	in := []struct {
		at  int64
		nic int32
	}{{}, {3, 1}, {3, 0}, {3, 1}, {9, 0}, {1, 1}, {3, 0}, {9, 0}}
	p := &parcels{messages: make([]fabric.Message, len(in))}
	b := bare(t, 1)
	b.shared.Spec.NICsPerHost = 2
	b.makeParts()
	b.connect(p)
	r := &b.ranks[0]
	first := int64(fabric.Forever)
	for id := 1; id < len(in); id++ {
		p.messages[id].Dst = in[id].nic
		b.schedule.Expect(r, uint32(id), in[id].at)
		if first = min(first, in[id].at); p.timer != first || b.schedule.DueAlone(r) != first {
			t.Fatalf("timer at %d, due at %d, want %d", p.timer, b.schedule.DueAlone(r), first)
		}
	}
	for _, want := range []fabric.MsgID{5, 2, 6, 1, 3, 4, 7} {
		if b.schedule.DueAlone(r) != in[want].at {
			t.Fatalf("due at %d, want %d", b.schedule.DueAlone(r), in[want].at)
		}
		if id, _ := b.schedule.TakeArrival(r); id != want {
			t.Fatalf("message %d, want %d", id, want)
		}
	}
	if b.schedule.DueAlone(r) != fabric.Forever {
		t.Error("something is left")
	}
}

func TestEventsHappenInOrder(t *testing.T) {
	b := bare(t, 1)
	r := &b.ranks[0]
	b.schedule.Waking = r.Host
	in := []schedule.Event{
		{At: 5, Kind: schedule.Recheck, Ref: 1},
		{At: 3, Kind: schedule.LocalArrival, Ref: 2},
		{At: 5, Kind: schedule.LocalArrival, Ref: 3},
		{At: 3, Kind: schedule.LocalArrival, Ref: 4},
		{At: 9, Ref: 5},
		{At: 1, Ref: 6},
	}
	for _, e := range in {
		b.schedule.Add(r, e)
	}
	for _, want := range []uint32{6, 2, 4, 3, 1, 5} {
		if e := b.schedule.Take(r); e.Ref != want {
			t.Fatalf("event %+v, want %d", e, want)
		}
	}
	if b.schedule.DueAlone(r) != fabric.Forever {
		t.Error("something is left")
	}
}

func TestMessageHashDependsOnEverything(t *testing.T) {
	base := [6]int64{1, 2, 3, 4, 5, 6}
	hash := func(v [6]int64) [2]uint64 {
		a, b := observe.MessageHash(int32(v[0]), int32(v[1]), int32(v[2]), v[3], v[4], v[5])
		return [2]uint64{a, b}
	}
	seen := map[uint64]bool{}
	for i := range base {
		for d := range int64(50) {
			v := base
			v[i] += 1000 * (d + 1)
			h := hash(v)
			if seen[h[0]] || seen[h[1]] {
				t.Fatalf("%v collides", v)
			}
			seen[h[0]], seen[h[1]] = true, true
		}
	}
}

func TestWorldRefusesWrongTimes(t *testing.T) {
	for _, c := range []struct {
		change func(s *model.Spec)
		want   string
	}{
		{func(s *model.Spec) { s.Begin = []int64{0} }, "a time at which it begins"},
		{func(s *model.Spec) { s.Begin = []int64{0, -1} }, "a time at which it begins"},
		{func(s *model.Spec) { s.Noise = model.Noise{Every: 10, Lose: 6} }, "at most half of the time"},
		{func(s *model.Spec) { s.Noise = model.Noise{Every: 10, Lose: -1} }, "must be positive"},
	} {
		s := model.Spec{Hosts: 2, NICsPerHost: 1, Memory: 1, HostOf: []int32{0, 1}}
		c.change(&s)
		if _, err := NewWorld(s, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", s, err, c.want)
		}
	}
}
