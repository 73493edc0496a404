package routing

// Alike is a Function that reports which virtual channels a packet may use instead of the one that
// Next returns. Routers that allocate virtual channels before the crossbar give a packet any of
// these; the check for deadlock considers all of them.
type Alike interface {
	Function
	// Alike returns the first virtual channel of the class to which vc belongs, and the number of
	// channels in that class. They are numbered consecutively.
	Alike(vc uint16) (first, count uint16)
}

// Alike returns the channels on vc's side of the dateline, or all channels on a mesh. It implements
// the interface Alike.
func (d *DOR) Alike(vc uint16) (first, count uint16) {
	class := 0
	if d.classFirst[1] > 0 && uint64(vc) >= d.classFirst[1] {
		class = 1
	}
	return uint16(d.classFirst[class]), uint16(d.classVCs[class])
}

// alike is embedded in algorithms with channels that are alike.
type alike struct{ channels *vcClasses }

// Alike returns the channels of vc's class. It implements the interface Alike, and panics if vc belongs
// to no class.
func (a alike) Alike(vc uint16) (first, count uint16) {
	for c := range a.channels.classes {
		if first = uint16(a.channels.first[c]); vc < first+uint16(a.channels.count[c]) {
			return first, uint16(a.channels.count[c])
		}
	}
	panic("routing: a virtual channel of no class")
}

// Alike returns the channels on vc's side of the dateline, as DOR.Alike does.
func (c *schemed) Alike(vc uint16) (first, count uint16) { return c.dor.Alike(vc) }

// Alike returns the channels on vc's side of the dateline, as DOR.Alike does.
func (d dorPacket) Alike(vc uint16) (first, count uint16) { return d.base().Alike(vc) }
