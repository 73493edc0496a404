package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// TestStreams runs experiments in which packets form streams, some of them of single packets, on the
// engine and on the oracle.
func TestStreams(t *testing.T) {
	compareMany(t, 20_000, 300, experiments.DrawStreams, fabric.New)
	short := func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
		n, err := fabric.New(spec, blocks)
		if err == nil {
			n.ShortStreams()
		}
		return n, err
	}
	compareMany(t, 20_000, 300, draw(experiments.DrawStreams).from(20_000_000), short)
}
