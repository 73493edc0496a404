package nodes

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
)

// TestOrderOfAPair holds MPI's rule that messages between two ranks are matched in
// the order of sending, where the network delivers them in another: with adaptive and
// random routing, and with several NICs.
func TestOrderOfAPair(t *testing.T) {
	for _, c := range []struct{ network, node string }{
		{"{topology: {kind: hyperx, dims: [4, 4], hosts: 2}, routing: adaptive, router: {vcs: 4}}", "{nics: 1}"},
		{"{topology: {kind: hyperx, dims: [4, 4], hosts: 2}, routing: valiant, router: {vcs: 4}}", "{nics: 1}"},
		{"{topology: {dims: [4, 4], hosts: 2}, routing: {algorithm: dor, choice: packet}, router: {vcs: 4}}", "{nics: 1}"},
		{"{topology: {dims: [4, 4], hosts: 2}}", "{nics: 3}"},
	} {
		text := fmt.Sprintf("network: %s\nnode: %s\nworkload: {program: ring, size: 1B}", c.network, c.node)
		e, err := fabricast.Parse("order.yaml", text)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		e.Workload = experiment.Workload{}
		var hash string
		for workers := 1; workers <= 3; workers++ {
			wrong := make([]int, 32)
			e.Program = func(r *mpi.Rank) { wrong[r.Rank()] = numbered(r) }
			r, err := e.Run(context.Background(), fabricast.Workers(workers))
			if err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			for rank, n := range wrong {
				if n > 0 {
					t.Errorf("%s\nrank %d received %d messages out of turn", text, rank, n)
				}
			}
			if hash == "" {
				hash = r.Hash
			}
			if r.Hash != hash {
				t.Errorf("%s\nhash %s with one worker, %s with %d", text, hash, r.Hash, workers)
			}
		}
	}
}

// numbered sends 40 messages of many sizes to the rank opposite, each with its number, and
// returns how many of those that it receives are out of turn.
func numbered(r *mpi.Rank) (wrong int) {
	const messages = 40
	other := (r.Rank() + r.Size()/2) % r.Size()
	var sends []mpi.Request
	for i := range messages {
		b := make([]byte, 4+(i*7919+r.Rank())%3000)
		binary.LittleEndian.PutUint32(b, uint32(i))
		sends = append(sends, r.Isend(mpi.Data(b), other, 0))
	}
	for i := range messages {
		b := make([]byte, 4096)
		r.Recv(mpi.Data(b), other, 0)
		if binary.LittleEndian.Uint32(b) != uint32(i) {
			wrong++
		}
	}
	r.WaitAll(sends)
	return wrong
}
