package fabricast

import "fabricast/node"

// Noise lets every rank lose its processor again and again for a while, as to an
// operating system (docs/model.md).
type Noise struct {
	Every        Time   `yaml:"every,omitempty"`        // from the beginning of a loss to that of the next
	Lose         Time   `yaml:"lose,omitempty"`         // how long a loss takes, or takes in the mean
	Distribution string `yaml:"distribution,omitempty"` // of the lengths: fixed or exponential
	Phase        string `yaml:"phase,omitempty"`        // random: every rank has its own; aligned: all lose at once
}

// Words of a noise.
const (
	NoiseFixed       = "fixed"
	NoiseExponential = "exponential"
	PhaseRandom      = "random"
	PhaseAligned     = "aligned"
)

// maxEvery bounds the time between losses.
const maxEvery = 100 * Second

func (n *Noise) given() bool { return *n != (Noise{}) }

func (f filler) noise(n *Noise) {
	if !n.given() {
		return
	}
	give(f, "noise.distribution", &n.Distribution, NoiseFixed)
	give(f, "noise.phase", &n.Phase, PhaseRandom)
}

func (v *validator) noise() {
	n, p := &v.e.Noise, v.e.positions
	if !n.given() && !p.Has("noise") {
		return
	}
	if v.e.HasTraffic() {
		v.problem("noise", "noise on traffic", "noise on a program", "traffic has no ranks that could lose time")
		return
	}
	every := v.demand(n.Every != 0 || p.Has("noise.every"), "noise.every", "", "a time such as 1ms")
	v.demand(n.Lose != 0 || !p.Has("noise") || p.Has("noise.lose"), "noise.lose", "", "a time such as 10us")
	if !n.given() { // or dropped, as nothing is lost
		return
	}
	v.choice("noise.distribution", n.Distribution, NoiseFixed, NoiseExponential)
	v.choice("noise.phase", n.Phase, PhaseRandom, PhaseAligned)
	if every && v.demand(n.Every >= Nanosecond && n.Every <= maxEvery, "noise.every", n.Every, "a time from 1ns to "+maxEvery.String()) {
		v.demand(n.Lose >= 0 && n.Lose <= n.Every/2, "noise.lose", n.Lose, "a time of at most half of noise.every, "+(n.Every/2).String())
	}
}

// noiseOfRanks is the noise as the ranks know it.
func (e *Experiment) noiseOfRanks() node.Noise {
	n := e.Noise
	return node.Noise{
		Every: int64(n.Every), Lose: int64(n.Lose),
		Exponential: n.Distribution == NoiseExponential, Aligned: n.Phase == PhaseAligned,
		Seed: scramble(e.Seed),
	}
}
