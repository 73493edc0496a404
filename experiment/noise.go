package experiment

import "fabricast/internal/units"

// Noise makes every rank lose its processor at intervals, as it would to an operating system
// (docs/model.md).
type Noise struct {
	// Every is the time from the start of one loss to the start of the next.
	Every units.Time `yaml:"every,omitempty"`
	// Lose is the length of a loss, or its mean.
	Lose         units.Time `yaml:"lose,omitempty"`
	Distribution string     `yaml:"distribution,omitempty"` // distribution of the lengths of losses: fixed or exponential
	File         string     `yaml:"file,omitempty"`         // recorded losses, in place of Every, Lose and Distribution
	// Phase is random, for independent phases of the ranks, or aligned, for simultaneous losses.
	Phase string `yaml:"phase,omitempty"`
}

// Values of Noise.Distribution and Noise.Phase.
const (
	NoiseFixed       = "fixed"
	NoiseExponential = "exponential"
	PhaseRandom      = "random"
	PhaseAligned     = "aligned"
)

// maxEvery is the longest allowed time between losses.
const maxEvery = 100 * units.Second

func (n *Noise) given() bool { return *n != (Noise{}) }

func (f filler) noise(n *Noise) {
	if !n.given() {
		return
	}
	if n.File == "" {
		give(f, "noise.distribution", &n.Distribution, NoiseFixed)
	}
	give(f, "noise.phase", &n.Phase, PhaseRandom)
}

func (v *validator) noise() {
	n, p := &v.e.Noise, v.e.positions
	if !n.given() && !p.Has("noise") {
		return
	}
	if v.e.HasTraffic() {
		v.problem(
			"noise",
			"noise on traffic",
			"noise on a program",
			"traffic has no ranks that could lose time",
		)
		return
	}
	if n.File != "" {
		v.recordedNoise()
		return
	}
	every := v.demand(n.Every != 0 || p.Has("noise.every"), "noise.every", "", "a time such as 1ms")
	v.demand(n.Lose != 0 || !p.Has("noise") || p.Has("noise.lose"), "noise.lose", "", "a time such as 10us")
	if !n.given() { // nothing is lost, or the fields have been removed because nothing is lost
		return
	}
	v.word("noise.distribution", n.Distribution)
	v.word("noise.phase", n.Phase)
	if every &&
		v.demand(
			n.Every >= units.Nanosecond && n.Every <= maxEvery, "noise.every", n.Every,
			"a time from 1ns to "+maxEvery.String(),
		) {
		v.demand(
			n.Lose >= 0 && n.Lose <= n.Every/2, "noise.lose", n.Lose,
			"a time of at most half of noise.every, "+(n.Every/2).String(),
		)
	}
}

// recordedNoise checks noise whose losses are in a file.
func (v *validator) recordedNoise() {
	n := &v.e.Noise
	v.word("noise.phase", n.Phase)
	const none = "none: noise.file has the losses"
	v.demand(n.Every == 0, "noise.every", n.Every, none)
	v.demand(n.Lose == 0, "noise.lose", n.Lose, none)
	v.demand(n.Distribution == "", "noise.distribution", n.Distribution, none)
}
