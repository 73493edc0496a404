package paths

import (
	"fabricast/fabric/model"
	"fabricast/topology"
)

var _ = Register(30, Description[BitmapOptions]{
	Summary:  "as oblivious, but passing over paths with penalties for marks, cut packets and timeouts",
	Source:   "uet-htsim, uec_mp.cpp",
	Make:     func(o *BitmapOptions) Chooser { return bitmap{paths: numberOf(o.Paths)} },
	Examples: []string{"", "paths: 8", "paths: 1", "paths: 256"},
})

// BitmapOptions are the options of the algorithm "bitmap" in experiments.
type BitmapOptions struct {
	Paths int `yaml:"paths" help:"entropy values of a flow, a power of two" default:"64"`
}

// Name implements Spec.
func (BitmapOptions) Name() string { return "bitmap" }

// Check returns what is wrong with the options.
func (o *BitmapOptions) Check() []topology.Mistake { return checkPaths(o.Paths) }

// bitmap has a penalty for each path, of 4 bits: +1 for a mark, +4 for a packet that was cut, and
// the most for a timeout (github.com/ultraethernet/uet-htsim, uec_mp.cpp). The path whose turn it
// is loses 1 if it is passed over; those after it are passed over without that. If all have
// penalties, one of them is taken.
type bitmap struct{ paths int }

// Penalties.
const (
	markedPenalty = 1
	cutPenalty    = 4
	mostPenalty   = 15
	penaltyBits   = 4
	perWord       = 64 / penaltyBits
)

// cycleWords is how many words a cycle takes. It is computed once, since by reflection.
var cycleWords = model.Words[cycle]()

// Words implements Chooser: a cycle, and the penalties.
func (b bitmap) Words() int { return cycleWords + (b.paths+perWord-1)/perWord }

func (b bitmap) of(s []uint64) (*cycle, penalties) {
	return model.StateIn[cycle](s), s[cycleWords:b.Words()]
}

// penalties are those of all paths.
type penalties []uint64

func (p penalties) of(path uint16) uint64 {
	return p[path/perWord] >> (path % perWord * penaltyBits) & mostPenalty
}

func (p penalties) set(path uint16, penalty uint64) {
	word, shift := &p[path/perWord], path%perWord*penaltyBits
	*word = *word&^(mostPenalty<<shift) | penalty<<shift
}

// Start implements Chooser.
func (b bitmap) Start(s []uint64, seed uint64) {
	c, _ := b.of(s)
	c.start(seed, b.paths)
}

// Next implements Chooser.
func (b bitmap) Next(s []uint64, _ int64) uint16 {
	c, p := b.of(s)
	path := c.path(b.paths)
	if penalty := p.of(path); penalty > 0 {
		p.set(path, penalty-1)
		// the path itself is passed over, even if it has no penalty left
		for passed := 0; passed < b.paths; passed++ {
			c.advance(b.paths)
			if path = c.path(b.paths); p.of(path) == 0 {
				break
			}
		}
	}
	c.advance(b.paths)
	return c.Top | path
}

// add raises the penalty of a path.
func (b bitmap) add(s []uint64, entropy uint16, penalty uint64) {
	_, p := b.of(s)
	path := entropy & uint16(b.paths-1)
	p.set(path, min(p.of(path)+penalty, mostPenalty))
}

// Acked implements Chooser.
func (b bitmap) Acked(s []uint64, entropy uint16, marked bool, _ int64) {
	if marked {
		b.add(s, entropy, markedPenalty)
	}
}

// Cut implements Chooser.
func (b bitmap) Cut(s []uint64, entropy uint16, _ int64) { b.add(s, entropy, cutPenalty) }

// Expired implements Chooser.
func (b bitmap) Expired(s []uint64, entropy uint16, _ int64) { b.add(s, entropy, mostPenalty) }
