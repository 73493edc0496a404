package replay_test

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/replay"
	"fabricast/trace"
)

// TestTestsTakeTheirTime compares the replay of Test records with a program that calls MPI_Test. A
// test of an incomplete request takes the time of a call, and a request that a test has found
// complete is not waited for again.
func TestTestsTakeTheirTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		time := rapid.Int64Range(0, 5_000_000)
		late, works := time.Draw(t, "late"), rapid.SliceOfN(time, 0, 8).Draw(t, "works")
		size := rapid.Int64Range(0, 20_000).Draw(t, "size")
		program := func(r *mpi.Rank) {
			if r.Rank() == 1 {
				r.Compute(mpi.Duration(late))
				r.Send(mpi.Size(int(size)), 0, 3)
				return
			}
			q, done := r.Irecv(mpi.Size(int(size)), 1, 3), false
			for _, d := range works {
				r.Compute(mpi.Duration(d))
				if !done {
					_, done = r.Test(q)
				}
			}
			if !done {
				r.Wait(q)
			}
		}
		message := trace.Message{Receive: true, Peer: 1, Tag: 3, Size: size, Request: 1}
		receiver := []trace.Record{{Kind: trace.Start, Message: message}}
		for _, d := range works {
			receiver = append(receiver,
				trace.Record{Kind: trace.Compute, Duration: d},
				trace.Record{Kind: trace.Test, Message: trace.Message{Request: 1}},
			)
		}
		receiver = append(receiver, trace.Record{Kind: trace.Wait, Requests: []uint64{1}})
		m := &memory{groups: [][]int32{nil}, ranks: [][]trace.Record{receiver, {
			{Kind: trace.Compute, Duration: late},
			{Kind: trace.Send, Message: trace.Message{Peer: 0, Tag: 3, Size: size}},
		}}}
		_, loggops := drawLogGOPS(t)
		network := rapid.SampledFrom([]experiment.Network{
			{Topology: topologies().Draw(t, "network")}, loggops,
		}).Draw(t, "model")
		e := fabricast.Experiment{Network: network, Ranks: 2, Program: program}
		want, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again := replayed(t, fabricast.Experiment{Network: network, Ranks: 2}, m, replay.Options{})
		got, err := again.Run(t.Context())
		if err != nil || got.SimulatedTime != want.SimulatedTime || got.Hash != want.Hash {
			t.Fatalf("%v, hash %s, %v; want %v, %s", got.SimulatedTime, got.Hash, err, want.SimulatedTime, want.Hash)
		}
	})
}
