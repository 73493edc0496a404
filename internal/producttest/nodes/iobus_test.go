package nodes

import (
	"errors"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
)

// busText is an experiment of two hosts with two NICs, between whose ranks a long message goes
// to and fro.
func busText(bus string) string {
	return `network: {topology: {dims: [2]}, link: {bandwidth: 10GB/s, latency: 0}, router: {buffer: 1MiB}, packet: {mtu: 1000B, flit: 10B}}
node: {nics: 2, dma: 20GB/s` + bus + `}
workload: {program: pingpong, size: 1MB, iterations: 1}
`
}

// TestBusInYAML: messages that use the bus alone show its rate and latency.
func TestBusInYAML(t *testing.T) {
	f := func(bus string) fabricast.Time {
		t.Helper()
		e, err := fabricast.Parse("bus.yaml", busText(bus))
		if err != nil {
			t.Fatal(err)
		}
		return producttest.Run(t, e).SimulatedTime
	}
	none := f("")
	if fast := f(", io_bus: {bandwidth: 20GB/s, latency: 0}"); fast != none {
		t.Errorf("with a bus as fast as the DMA %v, without one %v", fast, none)
	}
	if late := f(", io_bus: {bandwidth: 20GB/s, latency: 50ns}"); late != none+4*50*fabricast.Nanosecond {
		t.Errorf("with a bus of 50 ns %v, without one %v", late, none)
	}
	if slow := f(", io_bus: {bandwidth: 2GB/s}"); slow < none+2*400*fabricast.Microsecond {
		t.Errorf("with a bus of a fifth of the link %v, without one %v", slow, none)
	}
}

func TestWrongBus(t *testing.T) {
	f := func(bus string, words ...string) {
		t.Helper()
		e, err := fabricast.Parse("x.yaml", busText(", io_bus: "+bus))
		if err == nil {
			err = e.Resolve()
		}
		var bad *fabricast.ConfigError
		if !errors.As(err, &bad) {
			t.Fatalf("%s: %v", bus, err)
		}
		for _, w := range append(words, "x.yaml:2:") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: the error\n%v\ndoes not tell %q", bus, err, w)
			}
		}
	}
	f("{latency: 50ns}", "node.io_bus.bandwidth: found nothing, expected a rate")
	f("{bandwidth: 0, latency: 50ns}", "node.io_bus.bandwidth", "a rate above 0")
	f("{bandwidth: 16GB/s, latency: 2s}", "node.io_bus.latency", "a time from 0ps")
	f("{bandwidth: 16GB/s, delay: 1ns}", "delay")
}
