package networks

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
)

// TestUrgentMessagesGoFirst: three hosts keep a link busy with long messages; a short one that
// needs it too arrives earlier if its class is greater and switches go by class.
func TestUrgentMessagesGoFirst(t *testing.T) {
	arrival := func(arbiter string, classes []experiment.SizeClass) mpi.Duration {
		t.Helper()
		e, err := fabricast.Parse(
			"priority.yaml",
			"network: {topology: {kind: mesh, dims: [2], hosts: 5}, router: {vcs: 4, arbiter: "+arbiter+
				"}, routing: {algorithm: dor, choice: packet}}\nworkload: {program: barrier}",
		)
		if err != nil {
			t.Fatal(err)
		}
		var at mpi.Duration
		e.Workload, e.Classes = experiment.Workload{}, classes
		e.Program = func(r *mpi.Rank) {
			switch rank := r.Rank(); {
			case rank == 0:
				r.Compute(20 * mpi.Microsecond)
				r.Send(mpi.Size(64), 5, 1)
			case rank < 4:
				r.Send(mpi.Size(256<<10), 5+rank, 0)
			case rank == 5:
				r.Recv(mpi.Size(64), 0, 1)
				at = r.Now()
			case rank > 5 && rank < 9:
				r.Recv(mpi.Size(256<<10), rank-5, 0)
			}
		}
		if _, err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return at
	}
	urgent := []experiment.SizeClass{{To: fabricast.KiB, Class: 1}}
	if plain, first := arrival("priority", nil), arrival("priority", urgent); first >= plain {
		t.Errorf("arrives at %v with a class, at %v without", first, plain)
	}
	if plain, classed := arrival("fcfs", nil), arrival("fcfs", urgent); classed != plain {
		t.Errorf("FCFS heeds classes: %v, %v", classed, plain)
	}
}

// TestClassesOfTraffic: the parts of a mix have classes of their own, which count only where
// switches go by class.
func TestClassesOfTraffic(t *testing.T) {
	run := func(arbiter, class string) string {
		return runText(
			t,
			"network: {topology: {kind: mesh, dims: [4], hosts: 2}, router: {vcs: 4, arbiter: "+arbiter+"}, routing: {algorithm: dor, choice: packet}}\n"+
				"traffic: {load: 40%, pattern: {name: mix, parts: [{share: 50%, hops: 1}, {share: 50%, class: "+class+"}]}, measure: {longest: 100us}}",
			1,
		)
	}
	if run("priority", "0") == run("priority", "3") {
		t.Error("the class of a part makes no difference")
	}
	if run("fcfs", "0") != run("fcfs", "3") {
		t.Error("FCFS heeds classes")
	}
}

func TestWrongClasses(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := fabricast.Parse("x.yaml", "network: {topology: {dims: [4]}}\n"+text)
		var bad *fabricast.ConfigError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f(
		"workload: {program: barrier}\nclasses: [{to: 1KiB, class: 256}]",
		"x.yaml:3:29: classes[0].class: found 256, expected a number from 0 to 255",
	)
	f(
		"workload: {program: barrier}\nclasses: [{to: 1KiB, class: 2}, {to: 1KiB, class: 1}]",
		"classes[1].to: found 1KiB, expected a size",
	)
	f("traffic: {load: 1}\nclasses: [{to: 1KiB, class: 2}]", "classes: found classes by size, expected none")
	f(
		"traffic: {load: 1, pattern: {name: mix, parts: [{share: 1, class: -1}]}}",
		"parts[0].class: found -1, expected a number from 0 to 255",
	)
}

// TestChannelsOfClasses: a job shares links with another one. The more of them its class gets, by
// priority or by weight, the sooner it ends. One and two workers give the same.
func TestChannelsOfClasses(t *testing.T) {
	run := func(classes string, workers int) *fabricast.Result {
		t.Helper()
		e, err := fabricast.Parse(
			"classes.yaml",
			"network: {topology: {kind: mesh, dims: [3], hosts: 4}, router: {"+classes+"}, routing: dor}\n"+
				"jobs:\n"+
				"- {name: bulk, ranks: 8, placement: random-nodes, workload: {program: alltoall, size: 64KiB}}\n"+
				"- {name: other, ranks: 4, placement: random-nodes, class: 1, workload: {program: alltoall, size: 64KiB}}\n",
		)
		if err != nil {
			t.Fatal(err)
		}
		return producttest.Run(t, e, fabricast.Workers(workers))
	}
	other := func(r *fabricast.Result) int64 { return int64(r.Jobs[1].Time) }
	plain := run("vcs: 2", 1)
	strict := run("classes: [{name: bulk}, {name: urgent, priority: 1}]", 2)
	most := run("classes: [{weight: 1}, {weight: 9}]", 1)
	least := run("classes: [{weight: 9}, {weight: 1}]", 1)
	if !(other(strict) <= other(most) && other(most) < other(plain) && other(plain) < other(least)) {
		t.Errorf(
			"the job takes %d ps with priority, %d with 9 of 10, %d in one queue, %d with 1 of 10",
			other(strict), other(most), other(plain), other(least),
		)
	}
	if again := run("classes: [{name: bulk}, {name: urgent, priority: 1}]", 1); again.Hash != strict.Hash {
		t.Errorf("hashes of 1 and 2 workers are %v and %v", again.Hash, strict.Hash)
	}
	if len(strict.Classes) != 2 || strict.Classes[1].Name != "urgent" {
		t.Errorf("classes are %+v", strict.Classes)
	}
}
