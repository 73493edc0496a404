package run

import (
	"fabricast/internal/experiment"
	"fabricast/internal/random"
	"fabricast/node"
)

// sizeClasses converts the experiment's priority classes by message size for package node.
func sizeClasses(e *experiment.Resolved) []node.SizeClass {
	var list []node.SizeClass
	for _, c := range e.Classes {
		list = append(list, node.SizeClass{To: c.To, Class: uint8(c.Class)})
	}
	return list
}

// noiseOfRanks converts the experiment's noise for package node.
func noiseOfRanks(e *experiment.Resolved) node.Noise {
	n := e.Noise
	return node.Noise{
		Every: n.Every, Lose: n.Lose,
		Exponential: n.Distribution == experiment.NoiseExponential,
		Aligned:     n.Phase == experiment.PhaseAligned,
		Seed:        random.Scramble(e.Seed),
	}
}
