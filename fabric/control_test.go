package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
	"fabricast/internal/units"
)

// TestControlAgainstOracle is TestAgainstOracle with incasts whose congestion is controlled.
func TestControlAgainstOracle(t *testing.T) {
	compareMany(t, 2000, 60, draw(experiments.DrawControlled).from(80_000_000), fabric.New)
}

// TestControlBlocksAgree is TestBlocksAgree with control of congestion.
func TestControlBlocksAgree(t *testing.T) {
	blocksAgree(t, draw(experiments.DrawControlled).from(81_000_000))
}

// TestSnapshotsWithControl is TestSnapshots with control of congestion.
func TestSnapshotsWithControl(t *testing.T) {
	for seed := range uint64(20) {
		resumes(t, 82_000_000+seed, experiments.DrawControlled, fabric.New)
	}
}

// besideIncast is a victim beside an incast: seven hosts of one switch send 40 messages of ten
// packets each to host 8 of another. The link between the switches is eight times as fast as those
// of hosts, so it is full only of what waits for host 8; crossbars are as fast. From 1.5 ms on,
// host 7 sends to host 9.
func besideIncast(control string) *experiments.Experiment {
	e := &experiments.Experiment{
		Tree: &experiments.Tree{
			Parents: []int32{0, 0}, Hosts: []int32{8, 2}, Classes: []uint16{0, 2},
			Trunk: fabric.Link{Bandwidth: 8 * units.GBPerSecond, Latency: 50 * units.Nanosecond},
		},
		NICs: 1, DMA: int64(2 * units.GBPerSecond),
		Link:     fabric.Link{Bandwidth: units.GBPerSecond, Latency: 50 * units.Nanosecond},
		HostLink: fabric.Link{Bandwidth: units.GBPerSecond, Latency: 50 * units.Nanosecond},
		Router: fabric.Router{
			Latency: 100 * units.Nanosecond, Bandwidth: 8 * units.GBPerSecond, VCs: 1, Buffer: 8 * units.KiB,
			OutputBuffer: 4 * units.KiB,
		},
		Packet: fabric.Packet{MTU: 1024, Header: 64, Flit: 16},
		Doors:  &experiments.Doors{Control: control},
	}
	for round := range 40 {
		for src := range int32(7) {
			e.Messages = append(e.Messages, experiments.Message{
				Src: src, Dst: 8, Size: 9600, Cause: experiments.AtStart, Delay: int64(round),
			})
		}
	}
	e.Messages = append(e.Messages, experiments.Message{
		Src: 7, Dst: 9, Size: 48_000, Cause: experiments.AtStart, Delay: 1_500_000_000,
	})
	return e
}

// TestCountsOfControl: every mark of ib-cc is answered, slingshot-like has no marks. Both hold back
// packets, and without control nothing does.
func TestCountsOfControl(t *testing.T) {
	for control, marks := range map[string]bool{
		"": false, "ib-cc, hardware": true, "slingshot-like, hardware": false,
	} {
		o, err := simulate(besideIncast(control), 1, 1, fabric.New)
		if err != nil {
			t.Fatal(err)
		}
		controlled := control != ""
		right := o.Marked > 0 == marks && o.Notified > 0 == controlled && o.Refused > 0 == controlled
		if !right || marks && o.Marked != o.Notified {
			t.Errorf("%q: %d marked, %d notified, held back for %d ps", control, o.Marked, o.Notified, o.Refused)
		}
	}
}

// TestVictimOfIncast: a victim beside an incast takes several times as long as alone. It takes hardly
// longer than alone if congestion is controlled, and the incast then takes not much longer.
func TestVictimOfIncast(t *testing.T) {
	run := func(e *experiments.Experiment) (victim, incast int64) {
		t.Helper()
		o, err := simulate(e, 1, 1, fabric.New)
		if err != nil {
			t.Fatal(err)
		}
		last := len(o.Fates) - 1
		for _, f := range o.Fates[:last] {
			incast = max(incast, f.Delivered)
		}
		return o.Fates[last].Delivered - o.Fates[last].Post, incast
	}
	only := besideIncast("")
	only.Messages = only.Messages[len(only.Messages)-1:]
	alone, _ := run(only)
	free, whole := run(besideIncast(""))
	if alone <= 0 || free < 4*alone {
		t.Errorf("without control the victim takes %d ps, alone %d", free, alone)
	}
	for _, c := range []struct {
		control   string
		victim    float64 // times as long as alone
		aggressor float64 // times as long as without control
	}{{"ib-cc, hardware", 1.5, 2}, {"slingshot-like, hardware", 1.3, 1.1}} {
		victim, incast := run(besideIncast(c.control))
		slower, longer := float64(victim)/float64(alone), float64(incast)/float64(whole)
		if slower > c.victim || longer > c.aggressor {
			t.Errorf("%s: the victim takes %.2f times as long as alone, the incast %.2f times as long as without",
				c.control, slower, longer)
		}
		t.Logf("%s: victim %.3f (without control %.3f), incast %.3f", c.control, slower, float64(free)/float64(alone), longer)
	}
}
