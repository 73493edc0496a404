package restart

import "math"

// Young returns the period of work between two checkpoints of a given time that loses least to first
// order: sqrt(2 save mttf) (Young, CACM 17(9), 1974). All times are in nanoseconds.
func Young(save, mttf int64) int64 {
	return max(1, int64(math.Sqrt(2*float64(save)*float64(mttf))))
}

// Daly returns the period of work that loses least to higher order (Daly, FGCS 22(3), 2006, equation
// 37): for save < 2 mttf, sqrt(2 save mttf) (1 + x/3 + x²/9) - save with x² = save / (2 mttf); else mttf.
func Daly(save, mttf int64) int64 {
	if float64(save) >= 2*float64(mttf) {
		return max(1, mttf)
	}
	s, m := float64(save), float64(mttf)
	x := math.Sqrt(s / (2 * m))
	return max(1, int64(math.Sqrt(2*s*m)*(1+x/3+x*x/9)-s))
}

// Expected returns the mean time of a job (ns) by Daly's complete model (FGCS 22(3), 2006, equation 20):
// mttf e^(restart/mttf) (e^((period+save)/mttf) - 1) work / period.
func Expected(m *Model) float64 {
	mttf := float64(m.MTTF)
	return mttf * math.Exp(float64(m.Restart)/mttf) *
		math.Expm1(float64(m.Period+m.Save)/mttf) * float64(m.Work) / float64(m.Period)
}
