package traffic

// stopping decides when a measurement is precise enough. It looks at the results a few times only,
// each time after about √2 times as many batches as before, and the measurement ends when they were
// precise enough at several successive looks. To look after every batch and to end at the first
// narrow interval would choose those intervals that are too narrow by chance.
type stopping struct {
	met int64 // successive looks at which the results were precise enough
}

// successive is the number of looks for which the results must be precise enough.
const successive = 2

// enough reports whether a measurement may end after so many batches. last says that it has to, so
// that this is the last look.
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

// isLook reports whether results are looked at after so many batches.
func isLook(batches int) bool { return lookFrom(batches) == batches }

// lookFrom returns the number of batches of the first look after at least so many: 21, 29, 41, 57,
// 81 and so on. The one above 20 is for messages of the last batch that have not arrived yet.
func lookFrom(batches int) int {
	for n := groups; ; n *= 2 {
		for _, look := range [...]int{n + 1, n*7/5 + 1} {
			if look >= batches {
				return look
			}
		}
	}
}

// expectedLength returns how many batches a measurement is expected to take that has come to so many, if
// that number of batches is precise enough.
func (s *stopping) expectedLength(batches, precise int) int {
	look := lookFrom(max(batches+1, precise))
	for range successive - 1 - s.met {
		look = lookFrom(look + 1)
	}
	return look
}
