package mpi_test

import (
	"bytes"
	"sync/atomic"
	"testing"

	"fabricast/mpi"
	"fabricast/node"
)

// The contents of a rendezvous and of a synchronous message are copied once, those of other messages twice, and
// receivers find what was sent although the sender changes its buffer as soon as it may.
func TestContentsAreCopiedOnce(t *testing.T) {
	const long, rounds = 5000, 4
	for _, c := range []struct {
		name     string
		protocol node.Protocol
		options  mpi.Options
		copies   int64
	}{
		{"eager", node.RendezvousWrite, mpi.Options{Protocol: node.Eager}, 2},
		{"write", node.RendezvousWrite, mpi.Options{}, 1},
		{"read", node.RendezvousRead, mpi.Options{}, 1},
		{"synchronous", node.RendezvousWrite, mpi.Options{Protocol: node.Synchronous}, 1},
	} {
		for _, late := range []mpi.Duration{0, 400_000} {
			buf := make([]byte, long)
			main := func(r *mpi.Rank) {
				for k := range rounds {
					want := bytes.Repeat([]byte{byte(k + 1)}, long)
					if r.Rank() == 0 {
						copy(buf, want)
						r.SendWith(mpi.Data(buf), 1, k, c.options)
						clear(buf)
						continue
					}
					r.Compute(late)
					found := make([]byte, long)
					r.Recv(mpi.Data(found), 0, k)
					if !bytes.Equal(found, want) {
						t.Errorf("%s, receive %v late: found other contents in round %d", c.name, late, k)
					}
				}
			}
			spec := protocolSpec(2, c.protocol)
			w, err := node.NewWorld(spec, mpi.Programs(main))
			if err != nil {
				t.Fatal(err)
			}
			var copied atomic.Int64
			w.CountCopied(&copied)
			slow().Run(w, spec.Hosts, spec.NICsPerHost)
			if w.Err() != nil || copied.Load() != c.copies*rounds*long {
				t.Errorf("%s: %d bytes were copied, expected %d times %d: %v", c.name, copied.Load(), c.copies, rounds*long, w.Err())
			}
			w.Close()
		}
	}
}
