package recording

import (
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/causes"
	"fabricast/internal/producttest"
	"fabricast/internal/why"
	"fabricast/mpi"
	"fabricast/record"
)

// parsed reads an experiment.
func parsed(t *testing.T, text string) *fabricast.Experiment {
	t.Helper()
	e, err := fabricast.Parse("truth.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestWhyIncast: eight ranks send to one, through links that are faster than that to its host. Messages of
// another rank over the same links, to another host at the same router, wait for nothing but that link,
// which they never take.
func TestWhyIncast(t *testing.T) {
	const target, from, to, rounds = 9, 0, 10, 40
	e := parsed(t, "network: {topology: {kind: mesh, dims: [4], hosts: 3}, link: {bandwidth: 8GB/s}, "+
		"host_link: {bandwidth: 1GB/s}, router: {buffer: 8KiB}}\nranks: 12\nworkload: {program: barrier}\n"+
		"record: {causes: full}\n")
	e.Workload = experiment.Workload{}
	e.Program = func(r *mpi.Rank) {
		switch me := r.Rank(); {
		case me == target:
			for range 8 {
				r.Recv(mpi.Size(20_000), mpi.AnySource, 0)
			}
		case me == from:
			for range rounds {
				r.Send(mpi.Size(1000), to, 1)
				r.Recv(mpi.Size(0), to, 1)
			}
		case me == to:
			for range rounds {
				r.Recv(mpi.Size(1000), from, 1)
				r.Send(mpi.Size(0), from, 1)
			}
		case me < target:
			r.Send(mpi.Size(20_000), target, 0)
		}
	}
	p, _ := explained(t, e)
	if len(p.Roots) == 0 || p.Roots[0].Name != "(3) to host0" {
		t.Fatalf("the root is not named: %+v", p.Roots)
	}
	if len(p.Roots) > 1 && p.Roots[0].Time < 4*p.Roots[1].Time || !strings.Contains(p.Why, "link "+p.Roots[0].Name) {
		t.Errorf("%s\n%+v", p.Why, p.Roots)
	}
	for i := range p.Segments {
		if m := p.Segments[i].Message; m != nil && m.Destination == target {
			t.Fatalf("the path goes to the incast's target: %+v", p.Segments[i])
		}
	}
}

// TestWhyStencil: of a stencil's ranks one computes for twice as long. It is on the path all the time, and
// all others wait for it.
func TestWhyStencil(t *testing.T) {
	const slow, rounds = 5, 4
	p, _ := explained(t, parsed(t, "network: {topology: {dims: [3, 3, 3]}}\nranks: 27\n"+
		"workload: {program: stencil3d, size: 300B, iterations: 4, compute: 100us}\ncompute: {ranks: {5: 2}}\n"))
	computes, _ := spent(p, slow, why.Compute)
	if all := p.TimeOf(why.Compute); int64(computes) != all || all != rounds*200_000_000 {
		t.Errorf("rank %d computes %v of the path, all ranks %d ps", slow, computes, all)
	}
	if d := p.Waits.Delays[0]; d.Rank != slow || d.Doing != record.StateCompute {
		t.Errorf("the greatest delay: %+v", d)
	}
	if want := int64(rounds * 100_000_000 * 26); p.Waits.Imbalance < want-100 || p.Waits.Imbalance > want+100 {
		t.Errorf("imbalance: %d ps, want %d ps", p.Waits.Imbalance, want)
	}
	if !strings.Contains(p.Why, "because of computation") || !strings.Contains(p.Why, "on rank 5") {
		t.Error(p.Why)
	}
}

// TestWhyPacing: MOD pacing makes the all-to-all of the study of pacing faster, because packets wait at
// their source for as long as others use the links of their way, and so no longer in buffers, where they
// hold up others.
func TestWhyPacing(t *testing.T) {
	run := func(pacing string) (p *why.Path, buffers int64) {
		e := parsed(t, "network: {topology: {kind: torus, dims: [8, 4]}, link: {bandwidth: 4GB/s, latency: 10ns}, "+
			"router: {vcs: 2, buffer: 8KiB}, packet: {mtu: 2KiB, header: 32B, flit: 16B}}\n"+
			"node: {dma: 16GB/s, memory: 16GB/s, overhead: 200ns}\n"+
			"workload: {program: alltoall, algorithm: ring, size: 16128B"+pacing+"}\n")
		e.Record.Set("causes=full")
		e.Record.Set("messages")
		folder := filepath.Join(t.TempDir(), "run")
		result := producttest.Run(t, e, fabricast.Record(folder))
		if err := producttest.Explained(e, result, folder); err != nil {
			t.Error(err)
		}
		r, err := record.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all[record.Division](t, r, record.CausesTable) {
			parts := d.Parts()
			buffers += parts[causes.Order] + parts[causes.Credit] + parts[causes.InjectionCredit]
		}
		if p, err = why.Find(r); err != nil {
			t.Fatal(err)
		}
		return p, buffers
	}
	plain, before := run("")
	paced, after := run(", pacing: mod")
	if paced.Predicted >= plain.Predicted || after > before/2 {
		t.Errorf("%d ps, of which all messages spend %d ps in buffers; paced %d ps and %d ps",
			plain.Predicted, before, paced.Predicted, after)
	}
	if !strings.Contains(plain.Why, "waiting for others, most of it for packets ahead in buffers") {
		t.Error(plain.Why)
	}
	if !strings.Contains(paced.Why, "for pacing") {
		t.Error(paced.Why)
	}
}
