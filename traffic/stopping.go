package traffic

// stopping decides when a measurement is precise enough. It checks the results only a few times:
// each check is after about √2 times as many batches as the previous one. The measurement ends when
// the results are precise enough at several successive checks. A check after every batch, and an
// end at the first narrow interval, would favour intervals that are too narrow by chance.
type stopping struct {
	met int64 // number of successive checks at which the results were precise enough
}

// successive is the number of successive checks at which the results must be precise enough.
const successive = 2

// enough reports whether a measurement is precise enough after the given number of batches. last
// means that the measurement must end, so that this is the last check.
func (s *stopping) enough(batches int, last bool, precise func() bool) bool {
	if !last && !isLook(batches) {
		return false
	}
	if !precise() {
		s.met = 0
		return false
	}
	s.met++
	return s.met >= successive
}

// isLook reports whether the results are checked after the given number of batches.
func isLook(batches int) bool { return lookFrom(batches) == batches }

// lookFrom returns the number of batches of the first check after at least the given number of
// batches: 21, 29, 41, 57, 81, ... These numbers are 1 above a multiple of 20 or 28, because
// messages of the last batch may not have been delivered yet.
func lookFrom(batches int) int {
	for n := groups; ; n *= 2 {
		for _, look := range [...]int{n + 1, n*7/5 + 1} {
			if look >= batches {
				return look
			}
		}
	}
}

// expectedLength returns the expected total number of batches of a measurement that has completed
// the given number of batches, if the results are precise enough from precise batches on.
func (s *stopping) expectedLength(batches, precise int) int {
	look := lookFrom(max(batches+1, precise))
	for range successive - 1 - s.met {
		look = lookFrom(look + 1)
	}
	return look
}
