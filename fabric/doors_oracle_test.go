package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/oracle/experiments"
	"fabricast/internal/units"
)

// TestDoorsAgainstOracle is TestAgainstOracle with hooks, injectors, agents, events and epochs.
func TestDoorsAgainstOracle(t *testing.T) {
	compareMany(t, 4000, 200, experiments.DrawDoors, fabric.New)
}

// TestDoorsBlocksAgree is TestBlocksAgree with doors.
func TestDoorsBlocksAgree(t *testing.T) { blocksAgree(t, experiments.DrawDoors) }

// TestSnapshotsWithDoors is TestSnapshots with doors.
func TestSnapshotsWithDoors(t *testing.T) {
	for seed := range draws.Seeds(20, 1600) {
		resumes(t, 70_000_000+seed, experiments.DrawDoors, fabric.New)
	}
}

// TestNICTakesRateOfAnyLink: an event gives a NIC the rate of the first class of links, or of none.
func TestNICTakesRateOfAnyLink(t *testing.T) {
	for _, rate := range []units.Rate{1e9, 2e9, 250e6} {
		e := slowHosts()
		without := fates(t, e, fabric.New)[0].Fetched
		e.Doors = &experiments.Doors{Events: []fabric.Event{
			{At: 1, Port: nicPort(t, e), Kind: fabric.SetRate, Rate: rate, OneWay: true, FromNIC: true},
		}}
		compare(t, 0, e, fabric.New)
		if with := fates(t, e, fabric.New)[0].Fetched; (with < without) != (rate > e.HostLink.Bandwidth) {
			t.Errorf("NIC at %v: fetched at %d ps, at %v at %d ps", rate, with, e.HostLink.Bandwidth, without)
		}
	}
}

// TestRetriedPacketWaitsForItsTail: packets that come slowly are sent again on a fast link that was down only
// for an instant. They cannot leave before they have come.
func TestRetriedPacketWaitsForItsTail(t *testing.T) {
	e := slowHosts()
	e.HostLink.Bandwidth = e.Link.Bandwidth
	slow := fabric.Event{Port: nicPort(t, e), Kind: fabric.SetRate, Rate: 3e8, OneWay: true, FromNIC: true}
	e.Doors = &experiments.Doors{Retry: true, Events: []fabric.Event{slow}}
	usual := fates(t, e, fabric.New)[0].Delivered
	for at := units.Time(1_000_000); at < 15_000_000; at += 3_000_000 {
		e.Doors.Events = append(e.Doors.Events,
			fabric.Event{At: at, Kind: fabric.Down, OneWay: true}, fabric.Event{At: at + 1, Kind: fabric.Up, OneWay: true},
		)
	}
	compare(t, 0, e, fabric.New)
	if got := fates(t, e, fabric.New)[0].Delivered; got < usual {
		t.Errorf("delivered at %d ps, and at %d ps without an outage", got, usual)
	}
}

// nicPort returns the port of router 0 to its host.
func nicPort(t *testing.T, e *experiments.Experiment) int32 {
	t.Helper()
	spec, err := e.Spec()
	if err != nil {
		t.Fatal(err)
	}
	return spec.Graph.NICPort[0]
}

// slowHosts are two neighbours with links to their routers that are slower than that between these, and a
// message.
func slowHosts() *experiments.Experiment {
	e := neighbours(1_000_000_000)
	e.HostLink.Bandwidth = 300_000_000
	e.Packet.MTU = 960
	e.Messages = []experiments.Message{{Src: 0, Dst: 1, Size: 5000, Cause: experiments.AtStart}}
	return e
}
