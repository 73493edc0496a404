package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// TestStreams checks that packets which form streams arrive when the oracle says. In half of the
// experiments even a single packet may be a stream.
func TestStreams(t *testing.T) {
	compareMany(t, 35_000, 200, experiments.DrawStreams, fabric.New)
	compareMany(t, 35_000, 200, draw(experiments.DrawStreams).from(20_000_000), withShortStreams)
}

// TestStreamRates does the same where links differ in rate.
func TestStreamRates(t *testing.T) {
	compareMany(t, 35_000, 100, experiments.DrawRates, fabric.New)
	compareMany(t, 35_000, 150, draw(experiments.DrawRates).from(20_000_000), withShortStreams)
}

// withShortStreams is fabric.New with streams of any number of packets.
func withShortStreams(spec fabric.Spec, blocks int) (*fabric.Network, error) {
	n, err := fabric.New(spec, blocks)
	if err == nil {
		n.ShortStreams()
	}
	return n, err
}

// withoutStreams is fabric.New with streams off.
func withoutStreams(spec fabric.Spec, blocks int) (*fabric.Network, error) {
	n, err := fabric.New(spec, blocks)
	if err == nil {
		n.SetStreams(false)
	}
	return n, err
}

// TestStreamsForm checks that most packets of long messages belong to streams, that some of these are
// interrupted and some lack credit, and that no packet does if streams are off. The experiments are always the
// same, since a few of them may lack one of these.
func TestStreamsForm(t *testing.T) {
	streamsForm(t, experiments.DrawStreams)
	streamsForm(t, experiments.DrawRates)
}

func streamsForm(t *testing.T, draw draw) {
	t.Helper()
	var on, off fabric.StreamCounts
	for seed := range uint64(60) {
		e := draw(40_000_000 + seed)
		on.Add(streamCounts(t, seed, e, true))
		off.Add(streamCounts(t, seed, e, false))
	}
	if on.Crossed == 0 || on.Streams == 0 || on.Packets < 5*on.Streams || on.Interrupted == 0 || on.Starved == 0 {
		t.Errorf("with streams: %+v", on)
	}
	if off != (fabric.StreamCounts{}) {
		t.Errorf("without streams: %+v", off)
	}
}

// streamCounts compares an experiment, with streams or without, and returns how many there were.
func streamCounts(t *testing.T, seed uint64, e *experiments.Experiment, on bool) (c fabric.StreamCounts) {
	var last *fabric.Network
	compare(t, seed, e, func(spec fabric.Spec, _ int) (*fabric.Network, error) {
		n, err := fabric.New(spec, int(1+seed%3))
		if err == nil {
			n.SetStreams(on)
			last = n
		}
		return n, err
	})
	if last != nil {
		c = last.Totals().Streams
	}
	return c
}

// TestStreamsFound repeats draws in which faults have been found.
func TestStreamsFound(t *testing.T) {
	for _, seed := range []uint64{
		20_200_377, // a NIC took credit in advance for its next message, which goes through another VC
	} {
		compare(t, seed, experiments.DrawStreams(seed), withShortStreams)
	}
	for _, seed := range []uint64{
		60_028_892, 60_030_273, // a stream into a NIC ended, and the credit that the NIC had returned was not taken
		60_030_423, // a block without streams told another one after a move what that knew already
	} {
		recuts(t, seed, experiments.DrawStreams, withShortStreams)
	}
}

// TestStreamIntoNICEnds ends a stream at a NIC's receive buffer of three packets, in its middle. The output must then
// have the credit that the NIC has returned for the packets before.
func TestStreamIntoNICEnds(t *testing.T) {
	e := &experiments.Experiment{
		Dims: []int{2}, Wrap: []bool{false}, NICs: 1,
		Link:     fabric.Link{Bandwidth: 1e9, Latency: 1000},
		HostLink: fabric.Link{Bandwidth: 1e9, Latency: 1000},
		Router:   fabric.Router{Bandwidth: 1e9, VCs: 2, Buffer: 300},
		Packet:   fabric.Packet{MTU: 100, Flit: 100}, DMA: 1e9,
		Messages: []experiments.Message{
			{Src: 0, Dst: 1, Size: 10_000, Cause: experiments.AtStart},
			{Src: 1, Dst: 0, Size: 1, Cause: experiments.AtStart, Delay: 5_000_000}, // something to stop at in between
		},
	}
	inMiddle := false
	for rounds := range uint64(40) {
		s := newScripted(t, e, 1, withShortStreams)
		s.run(t, 1, rounds+1)
		packets := s.network.Totals().Packets
		inMiddle = inMiddle || packets > 20 && packets < 80
		if err := s.network.Verify(); err != nil {
			t.Errorf("after %d rounds and %d packets: %v", s.done, packets, err)
		}
		s.network.Close()
	}
	if !inMiddle {
		t.Error("no run has stopped while the long message is under way")
	}
}
