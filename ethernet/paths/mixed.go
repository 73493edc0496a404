package paths

import (
	"fabricast/fabric/model"
	"fabricast/topology"
)

var _ = Register(50, Description[MixedOptions]{
	Summary:  "paths of packets that arrived without a mark are used again, else as bitmap",
	Source:   "uet-htsim, uec_mp.cpp",
	Make:     func(o *MixedOptions) Chooser { return mixed{bitmap{paths: numberOf(o.Paths)}} },
	Examples: []string{"", "paths: 128", "paths: 1"},
})

// MixedOptions are the options of the algorithm "mixed" in experiments.
type MixedOptions struct {
	Paths int `yaml:"paths" help:"entropy values of a flow, a power of two" default:"64"`
}

// Name implements Spec.
func (MixedOptions) Name() string { return "mixed" }

// Check returns what is wrong with the options.
func (o *MixedOptions) Check() []topology.Mistake { return checkPaths(o.Paths) }

// mixed uses the paths of packets that arrived without a mark once more, the oldest first, and
// otherwise those of a bitmap, which learns from all (github.com/ultraethernet/uet-htsim,
// uec_mp.cpp). At most 64 paths wait to be used again, in place of any number there.
type mixed struct{ bitmap }

const mixedRing = 64

type mixedState struct {
	Values       [mixedRing]uint16
	First, Count uint16
}

// againWords is how many words the paths to be used again take.
var againWords = model.Words[mixedState]()

// Words implements Chooser: the paths to be used again, and a bitmap.
func (m mixed) Words() int { return againWords + m.bitmap.Words() }

func (m mixed) of(s []uint64) (*mixedState, []uint64) {
	return model.StateIn[mixedState](s), s[againWords:]
}

// Start implements Chooser.
func (m mixed) Start(s []uint64, seed uint64) {
	_, rest := m.of(s)
	m.bitmap.Start(rest, seed)
}

// Next implements Chooser.
func (m mixed) Next(s []uint64, now int64) uint16 {
	f, rest := m.of(s)
	if f.Count == 0 {
		return m.bitmap.Next(rest, now)
	}
	entropy := f.Values[f.First]
	f.First, f.Count = (f.First+1)%mixedRing, f.Count-1
	return entropy
}

// Acked implements Chooser.
func (m mixed) Acked(s []uint64, entropy uint16, marked bool, now int64) {
	f, rest := m.of(s)
	m.bitmap.Acked(rest, entropy, marked, now)
	if !marked && f.Count < mixedRing {
		f.Values[(f.First+f.Count)%mixedRing] = entropy
		f.Count++
	}
}

// Cut implements Chooser.
func (m mixed) Cut(s []uint64, entropy uint16, now int64) {
	_, rest := m.of(s)
	m.bitmap.Cut(rest, entropy, now)
}

// Expired implements Chooser.
func (m mixed) Expired(s []uint64, entropy uint16, now int64) {
	_, rest := m.of(s)
	m.bitmap.Expired(rest, entropy, now)
}
