package traffic

import (
	"fmt"
	"math/big"

	"fabricast/fabric"
)

// SizeClass is a class of message sizes: From to To bytes of payload, uniformly distributed. The
// probability of the class is proportional to Share.
type SizeClass struct {
	From, To int64
	Share    int64
}

// sizes is a distribution of message sizes.
type sizes struct {
	classes []SizeClass
	total   int64 // sum of the shares
}

// maxSpread is the maximum To - From of a class.
const maxSpread = 1 << 26

func newSizes(classes []SizeClass) (sizes, error) {
	s := sizes{classes: classes}
	for _, c := range classes {
		if c.From < 0 || c.To < c.From || c.To-c.From > maxSpread || c.Share <= 0 {
			return s, fmt.Errorf("sizes from %d to %d bytes with a share of %d", c.From, c.To, c.Share)
		}
		s.total += c.Share
	}
	if len(classes) == 0 {
		return s, fmt.Errorf("no size of messages")
	}
	return s, nil
}

// draw returns a random payload size in bytes.
func (s *sizes) draw(d *Draws) int64 {
	c := &s.classes[0]
	if len(s.classes) > 1 {
		x := int64(d.Below(int(s.total)))
		for i := range s.classes {
			c = &s.classes[i]
			if x -= c.Share; x < 0 {
				break
			}
		}
	}
	if c.From == c.To {
		return c.From
	}
	return c.From + int64(d.Below(int(c.To-c.From+1)))
}

// mean returns the mean size of a message on the wire, in bytes including headers.
func (s *sizes) mean(p fabric.Packet) *big.Rat {
	sum := new(big.Rat)
	for _, c := range s.classes {
		part := new(big.Rat).SetFrac(wireBetween(p, c.From, c.To), big.NewInt(c.To-c.From+1))
		sum.Add(sum, part.Mul(part, big.NewRat(c.Share, s.total)))
	}
	return sum
}

// wireBetween returns the sum of the sizes on the wire of a message of each size in [from, to].
func wireBetween(p fabric.Packet, from, to int64) *big.Int {
	if to-from < p.Payload() {
		sum := new(big.Int)
		for size := from; size <= to; size++ {
			sum.Add(sum, big.NewInt(p.WireOf(size)))
		}
		return sum
	}
	// From one multiple of the payload to the next, the sizes on the wire are those of one packet, and
	// those of the full packets before it. Sizes before the first multiple and after the last are few.
	first, last := (from+p.Payload()-1)/p.Payload(), to/p.Payload()
	sum := wireBetween(p, from, first*p.Payload())
	sum.Add(sum, wireBetween(p, last*p.Payload()+1, to))
	full := big.NewInt(p.Wire(p.Payload()))
	one := wireBetween(p, 1, p.Payload())
	before := new(big.Int).Mul(big.NewInt(first+last-1), big.NewInt(last-first)) // twice the sum of first to last-1
	before.Mul(before.Rsh(before, 1), big.NewInt(p.Payload()))
	sum.Add(sum, before.Mul(before, full))
	return sum.Add(sum, one.Mul(one, big.NewInt(last-first)))
}
