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

// maxSpread is the maximum To - From of a class, because the mean is computed by a loop over all
// sizes.
const maxSpread = 1 << 24

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
		var bytes int64
		for size := c.From; size <= c.To; size++ {
			bytes += wire(p, size)
		}
		part := big.NewRat(bytes, c.To-c.From+1)
		sum.Add(sum, part.Mul(part, big.NewRat(c.Share, s.total)))
	}
	return sum
}

// wire returns the size on the wire, in bytes including headers, of a message with size bytes of
// payload.
func wire(p fabric.Packet, size int64) int64 {
	last := size - (p.Count(size)-1)*p.Payload()
	return (p.Count(size)-1)*p.Wire(p.Payload()) + p.Wire(last)
}
