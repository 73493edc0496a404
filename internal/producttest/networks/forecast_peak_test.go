//go:build !race

// The race detector takes memory of its own for all that a run touches.

package networks

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/needed"
	"fabricast/internal/producttest"
)

var forecastDraws = flag.Int(
	"forecast-draws",
	20,
	"random experiments whose peak of memory is held against its forecast",
)

const (
	// forecastSeed is the variable that makes the test's own process measure.
	forecastSeed = "FABRICAST_TEST_FORECAST"
	// leftAside is what the set-up and Go's runtime take beside the simulation: 2 MiB were
	// measured.
	leftAside = 4 << 20
)

// TestForecastHolds holds the forecast to what random experiments take at their peak: no less than
// 0.8 of it. A process of its own measures them one by one, for the peak is that of a process.
func TestForecastHolds(t *testing.T) {
	if from := os.Getenv(forecastSeed); from != "" {
		first, _ := strconv.Atoi(from)
		for i := range *forecastDraws {
			measureForecast(t, uint64(first+i))
		}
		return
	}
	if _, err := peakMemory(); err != nil {
		needed.Missing(t, "the peak of a process's memory cannot be measured here: ", err)
	}
	c := exec.Command(
		os.Args[0], "-test.run=^TestForecastHolds$", "-test.v",
		fmt.Sprintf("-forecast-draws=%d", *forecastDraws),
	)
	c.Env = append(os.Environ(), forecastSeed+"=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}

// measureForecast runs an experiment.
func measureForecast(t *testing.T, seed uint64) {
	text := drawOutstanding(rand.New(rand.NewPCG(seed, 17)))
	e, err := fabricast.Parse("forecast.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want, err := e.Forecast()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	debug.FreeOSMemory()
	if _, err := peakMemory(); err != nil {
		t.Fatal(err)
	}
	before, err := peakMemory()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Run(context.Background(), fabricast.Workers(1+int(seed%2))); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	after, err := peakMemory()
	if err != nil {
		t.Fatal(err)
	}
	took := after - before - leftAside
	if float64(want.Total-want.Tables.Process) < 0.8*float64(took) {
		t.Errorf(
			"seed %d: forecast %d KiB, but at the peak the run took %d KiB and %d besides:\n%s",
			seed, want.Total>>10, took>>10, leftAside>>10, text,
		)
	}
	t.Logf(
		"seed %d: forecast %d KiB, least %d, took %d",
		seed, want.Total>>10, want.Least>>10, (took+leftAside)>>10,
	)
}

// peakMemory is the most that the process had resident since the last call, and begins anew.
func peakMemory() (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	if err != nil {
		return 0, err
	}
	return kib << 10, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// drawOutstanding draws an experiment that has very much outstanding, or small packets.
func drawOutstanding(d *rand.Rand) string {
	network := producttest.One(
		d,
		"{kind: torus, dims: [8, 8]}",
		"{kind: mesh, dims: [4, 4, 4]}",
		"{kind: fat-tree, radix: 8, levels: 2}",
		"{kind: dragonfly, p: 2, a: 4, h: 2}",
		"{kind: fully-connected, routers: 16, hosts: 4}",
	)
	text := fmt.Sprintf(
		"seed: %d\nnetwork: {topology: %s, router: %s}\n",
		d.IntN(1000),
		network,
		producttest.Router(d),
	)
	text += fmt.Sprintf(
		"node: {nics: %s, ranks: %s, overhead: %s%s}\n",
		producttest.One(d, "1", "1", "2"),
		producttest.One(d, "1", "1", "2"),
		producttest.One(d, "0ns", "100ns"),
		producttest.One(d, "", "", ", copies: one", ", protocol: {eager: 4B, rendezvous: write}"),
	)
	size := producttest.One(d, "1B", "8B", "100B", "2KiB")
	by := producttest.One(d, "", "", ", by: put")
	window := 1 << (4 + d.IntN(7))
	uniform := func() string {
		return fmt.Sprintf(
			"workload: {program: uniform, size: %s, messages: %d, window: %d%s}",
			size, window+d.IntN(100), window, by,
		)
	}
	return text + producttest.One(
		d,
		uniform(), uniform(), // twice as often as others
		fmt.Sprintf(
			"workload: {program: %s, size: %s, iterations: %d}",
			producttest.One(d, "gather", "scatter", "broadcast", "reduce", "allgather"),
			size,
			1+d.IntN(400),
		),
		fmt.Sprintf(
			"workload: {program: alltoall, algorithm: %s, size: %s, iterations: 2}",
			producttest.One(d, "simple-spread", "ring", "bruck"),
			size,
		),
		fmt.Sprintf(
			"workload: {program: %s, size: %s, iterations: 3%s}",
			producttest.One(d, "random-ring", "halo2d", "halo3d"),
			size,
			by,
		),
	)
}
