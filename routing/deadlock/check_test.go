package deadlock_test

import (
	"errors"
	"strings"
	"testing"

	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// roundTheRing sends everything upward round a ring. The header is the number of
// hops left; from the dateline on (router 0) packets take the second channel if there is one.
type roundTheRing struct {
	length int32
	vcs    int
}

func (roundTheRing) Name() string { return "round the ring" }

func (r roundTheRing) Start(src, dst int32) (uint64, uint8) {
	return uint64((dst - src + r.length) % r.length), 0
}

func (r roundTheRing) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	hops, past := header&0xff, header>>8
	if hops == 0 {
		return 2, 0, 0
	}
	vc = uint16(min(int(past), r.vcs-1))
	if router == r.length-1 {
		past = 1
	}
	return 0, vc, past<<8 | hops - 1
}

func ring(t *testing.T, n int) *topology.Torus {
	t.Helper()
	torus, err := topology.NewTorus([]int{n}, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	return torus
}

// TestOwnRouting: an algorithm of a user is checked like any other, and what the
// error says is enough.
func TestOwnRouting(t *testing.T) {
	torus := ring(t, 5)
	_, err := deadlock.Check(
		torus.Graph(),
		roundTheRing{5, 1},
		deadlock.Options{VCs: 1, WithVCs: func(vcs int) (routing.Algorithm, error) {
			return roundTheRing{5, vcs}, nil
		}},
	)
	var cycle *deadlock.CycleError
	if !errors.As(err, &cycle) {
		t.Fatal(err)
	}
	if len(cycle.Cycle) != 5 || cycle.Need != 2 {
		t.Errorf("%v", err)
	}
	for _, c := range cycle.Cycle {
		if c.Port != 0 || c.VC != 0 {
			t.Errorf("channel %+v is not on the circle", c)
		}
	}
	if path := cycle.Path(torus); !strings.Contains(
		path, "router (3) port +x VC 0 -> router (4) port +x VC 0",
	) {
		t.Errorf("path %s", path)
	}
	if !strings.Contains(err.Error(), "2 virtual channels would avoid it") {
		t.Error(err)
	}
	report, err := deadlock.Check(torus.Graph(), roundTheRing{5, 2}, deadlock.Options{VCs: 2})
	if err != nil || report.Destinations != 5 || report.Sampled || report.String() != "free of deadlock" {
		t.Errorf("%v, %v", report, err)
	}
}

// TestNoVCsHelp: where no number of virtual channels helps, the error says so.
func TestNoVCsHelp(t *testing.T) {
	_, err := deadlock.Check(
		ring(t, 4).Graph(),
		roundTheRing{4, 1},
		deadlock.Options{VCs: 1, WithVCs: func(int) (routing.Algorithm, error) {
			return roundTheRing{4, 1}, nil
		}},
	)
	if err == nil || !strings.Contains(err.Error(), "up to 32 virtual channels do not avoid it") {
		t.Error(err)
	}
}

// TestSample: with little work allowed, the routes to some destinations are walked, and the report
// says so.
func TestSample(t *testing.T) {
	report, err := deadlock.Check(
		ring(t, 64).Graph(),
		roundTheRing{64, 2},
		deadlock.Options{VCs: 2, Steps: 1},
	)
	if err != nil || report.Destinations != 1 || report.Of != 64 || !report.Sampled {
		t.Fatalf("%+v, %v", report, err)
	}
	if report.Whole() {
		t.Error("a sample passes for all routes")
	}
	if report.String() != "no deadlock found on the routes to 1 of 64 destinations" {
		t.Error(report)
	}
}

// lost is an algorithm that does with every packet what a step says.
type lost struct {
	roundTheRing
	step func(router int32, header uint64) (port, vc uint16, next uint64)
}

func (l lost) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	return l.step(router, header)
}

// TestWrongRoutes: routes that do not arrive are errors.
func TestWrongRoutes(t *testing.T) {
	graph := ring(t, 4).Graph()
	f := func(problem string, step func(router int32, header uint64) (port, vc uint16, next uint64)) {
		t.Helper()
		_, err := deadlock.Check(graph, lost{roundTheRing{4, 2}, step}, deadlock.Options{VCs: 2})
		if wrong := (*deadlock.RouteError)(nil); !errors.As(err, &wrong) ||
			!strings.Contains(err.Error(), problem) {
			t.Errorf("%v, expected that %s", err, problem)
		}
	}
	f("a port that the router does not have", func(int32, uint64) (uint16, uint16, uint64) { return 3, 0, 0 })
	f(
		"a virtual channel that the port does not have",
		func(int32, uint64) (uint16, uint16, uint64) { return 0, 2, 0 },
	)
	f("the port of another NIC", func(int32, uint64) (uint16, uint16, uint64) { return 2, 0, 0 })
	f(
		"go on for ever",
		func(router int32, header uint64) (uint16, uint16, uint64) { return 0, 0, header + 1 },
	)
	mesh, err := topology.NewTorus([]int{3}, []bool{false}, 1)
	if err != nil {
		t.Fatal(err)
	}
	graph = mesh.Graph()
	f("a port that leads nowhere", func(int32, uint64) (uint16, uint16, uint64) { return 0, 0, 0 })
	if _, err := deadlock.Check(graph, nameOnly{}, deadlock.Options{VCs: 1}); err == nil {
		t.Error("a name passes for an algorithm")
	}
}

// nameOnly is called an algorithm, and has no routes.
type nameOnly struct{}

func (nameOnly) Name() string { return "nothing" }

// TestNeverArrives: packets that go round for ever make circles that no virtual channels avoid, but
// what is wrong is that they do not arrive.
func TestNeverArrives(t *testing.T) {
	torus := ring(t, 5)
	upward := lost{
		roundTheRing{5, 2},
		func(_ int32, header uint64) (uint16, uint16, uint64) { return 0, 0, header },
	}
	_, err := deadlock.Check(
		torus.Graph(),
		upward,
		deadlock.Options{VCs: 2, WithVCs: func(int) (routing.Algorithm, error) { return upward, nil }},
	)
	var wrong *deadlock.RouteError
	if !errors.As(err, &wrong) || wrong.Algorithm != "round the ring" || len(wrong.Round) != 5 {
		t.Fatal(err)
	}
	const want = "packets to NIC 0: packets go round and never arrive: router (0) port +x VC 0 -> router (1) port +x VC 0"
	if text := wrong.Describe(torus); !strings.Contains(text, want) {
		t.Error(text)
	}
	// An adaptive algorithm may go in circles, as long as there is a way out of them.
	_, err = deadlock.Check(
		torus.Graph(),
		bothWays{5, func(int32) bool { return true }, false},
		deadlock.Options{VCs: 2},
	)
	if errors.As(err, &wrong) {
		t.Error(err)
	}
}

// TestFold: with the channels of an algorithm made fewer, the circle shows that they keep apart.
func TestFold(t *testing.T) {
	_, err := deadlock.Check(ring(t, 5).Graph(), roundTheRing{5, 2}, deadlock.Options{VCs: 2, Fold: 1})
	var cycle *deadlock.CycleError
	if !errors.As(err, &cycle) || cycle.VCs != 1 || len(cycle.Cycle) != 5 {
		t.Error(err)
	}
}

// bothWays goes round a ring either way on the adaptive channel, and upward on an escape channel.
type bothWays struct {
	length int32
	offer  func(router int32) bool // whether the escape channel is offered
	line   bool                    // the escape channel ends at the dateline, so circles are cut
}

func (bothWays) Name() string { return "both ways" }

func (b bothWays) StartPacket(_, dst int32, _ uint64) (uint64, uint8) { return uint64(dst), 0 }

func (b bothWays) Candidates(
	router int32,
	header uint64,
	_ routing.View,
	to []routing.Candidate,
) []routing.Candidate {
	dst := int32(header)
	if router == dst {
		return append(to, routing.Candidate{Port: 2, Header: header})
	}
	to = append(
		to,
		routing.Candidate{Port: 0, VC: 1, Header: header},
		routing.Candidate{Port: 1, VC: 1, Header: header},
	)
	escape := routing.Candidate{Port: 0, Escape: true, Header: header}
	if b.line && dst < router {
		escape.Port = 1
	}
	if b.offer(router) {
		to = append(to, escape)
	}
	return to
}

// TestEscape: escape channels have to be offered everywhere and be free of circles; the others need
// not.
func TestEscape(t *testing.T) {
	graph := ring(t, 6).Graph()
	always := func(int32) bool { return true }
	report, err := deadlock.Check(graph, bothWays{6, always, true}, deadlock.Options{VCs: 2})
	if err != nil || !report.Escape || !report.Sampled {
		t.Errorf("%+v, %v", report, err)
	}
	_, err = deadlock.Check(graph, bothWays{6, always, false}, deadlock.Options{VCs: 2})
	var cycle *deadlock.CycleError
	if !errors.As(err, &cycle) || !cycle.Escape || len(cycle.Cycle) != 6 {
		t.Error(err)
	}
	_, err = deadlock.Check(
		graph,
		bothWays{6, func(r int32) bool { return r != 3 }, true},
		deadlock.Options{VCs: 2},
	)
	var none *deadlock.EscapeError
	if !errors.As(err, &none) || none.Router != 3 {
		t.Error(err)
	}
	// Packets that turn back on other channels come by an escape channel again
	// without having used the next: a circle only for wormhole switching.
	_, err = deadlock.Check(graph, bothWays{6, always, true}, deadlock.Options{VCs: 2, Indirect: true})
	if !errors.As(err, &cycle) {
		t.Error(err)
	}
}
