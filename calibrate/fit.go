package calibrate

import (
	"math"
	"slices"
)

// fit is the search for the parameters with which simulation meets measurements.
type fit struct {
	sim      *simulator
	list     []Measurement // that are not held back
	fixed    []string      // settings that do not change
	params   []Parameter
	x, first []float64 // logarithms of their values, and of those that they began with
	residual []float64 // logarithms of simulated by measured times, in units of their deviations
	parked   []parked  // parameters on which no measurement depends
	reports  func(text string)
	// routerless: the network is one of parameters alone
	routerless bool
}

const (
	// leastDeviation is the deviation of a measurement, as a share, that a model is not asked to
	// explain.
	leastDeviation = 0.01
	// step is that of derivatives, in logarithms.
	step = 0.04
	// huber is from how many deviations on a residual counts less than its square.
	huber = 1.5
	// mostRounds and enough end the search: after so many steps, or when one makes the squares less
	// by a smaller share.
	mostRounds = 12
	enough     = 0.002
	// prior is the deviation, in logarithms, with which parameters are held where they began. It is
	// so wide that it counts only where the measurements say nothing.
	prior = 3
)

// cost is the loss and what it costs to move the parameters from where they began.
func (f *fit) cost(r, x []float64, scale float64) float64 {
	sum := loss(r, scale)
	for p := range x {
		d := (x[p] - f.first[p]) / prior
		sum += d * d
	}
	return sum
}

// values returns the parameters' values.
func values(x []float64) []float64 {
	v := make([]float64, len(x))
	for i := range x {
		v[i] = math.Exp(x[i])
	}
	return v
}

// at simulates all measurements with the parameters at x and returns the residuals.
func (f *fit) at(x []float64) ([]float64, error) {
	sets := append(slices.Clone(f.fixed), assignments(f.params, values(x))...)
	times, err := f.sim.times(sets, f.list)
	if err != nil {
		return nil, err
	}
	r := make([]float64, len(times))
	for i := range r {
		m := &f.list[i]
		r[i] = math.Log(times[i]/m.Time) / math.Hypot(leastDeviation, m.Spread)
	}
	return r, nil
}

// scale is a robust estimate of the residuals' deviation, at least 1.
func scale(r []float64) float64 {
	sizes := make([]float64, len(r))
	for i := range r {
		sizes[i] = math.Abs(r[i])
	}
	return max(1, 1.4826*median(sizes))
}

// median returns the median of a list, which it sorts; 0 if it is empty.
func median(list []float64) float64 { return quantile(list, 0.5) }

// quantile returns the value below which a share of a list lies. It sorts the list.
func quantile(list []float64, share float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	at := share * float64(len(list)-1)
	low := int(at)
	high := min(low+1, len(list)-1)
	return list[low] + (at-float64(low))*(list[high]-list[low])
}

// weights returns Huber's weights of residuals at a scale.
func weights(r []float64, scale float64) []float64 {
	w := make([]float64, len(r))
	for i := range r {
		w[i] = min(1, huber*scale/max(math.Abs(r[i]), 1e-12))
	}
	return w
}

// loss is the sum that the search makes least: Huber's of the residuals at a scale.
func loss(r []float64, scale float64) float64 {
	sum := 0.0
	for _, v := range r {
		if a, k := math.Abs(v), huber*scale; a > k {
			sum += 2*k*a - k*k
		} else {
			sum += a * a
		}
	}
	return sum
}

// derivatives returns the change of the residuals with each parameter.
func (f *fit) derivatives() ([][]float64, error) {
	j := make([][]float64, len(f.params))
	for p := range j {
		by := step
		if f.x[p]+by > math.Log(f.params[p].Most) {
			by = -step
		}
		x := slices.Clone(f.x)
		x[p] += by
		r, err := f.at(x)
		if err != nil {
			return nil, err
		}
		j[p] = make([]float64, len(r))
		for i := range r {
			j[p][i] = (r[i] - f.residual[i]) / by
		}
	}
	return j, nil
}

// tries are the factors by which values are tried before the search, which finds the nearest least
// cost only.
var tries = []float64{0.1, 0.3, 3, 10}

// settle searches, and again from values far apart as long as that is better.
func (f *fit) settle() error {
	for range 3 {
		if err := f.search(); err != nil {
			return err
		}
		before := f.cost(f.residual, f.x, 1)
		if err := f.scan(); err != nil || f.cost(f.residual, f.x, 1) >= before {
			return err
		}
	}
	return f.search()
}

// scan moves each parameter, one after the other, to the best of a few values far apart.
func (f *fit) scan() error {
	for p := range f.params {
		from := f.x[p]
		for _, factor := range tries {
			x := slices.Clone(f.x)
			x[p] = from + math.Log(factor)
			if x[p] < math.Log(f.params[p].Least) || x[p] > math.Log(f.params[p].Most) {
				continue
			}
			r, err := f.at(x)
			if err != nil {
				return err
			}
			if f.cost(r, x, 1) < f.cost(f.residual, f.x, 1) {
				f.x, f.residual = x, r
			}
		}
		f.reports(f.state())
	}
	return nil
}

// search moves the parameters to the nearest least loss, by Levenberg and Marquardt's method.
func (f *fit) search() error {
	var err error
	if f.residual, err = f.at(f.x); err != nil {
		return err
	}
	damping := 0.01
	for range mostRounds {
		s := scale(f.residual)
		before := f.cost(f.residual, f.x, s)
		f.reports(f.state())
		j, err := f.derivatives()
		if err != nil {
			return err
		}
		a, b := normal(j, f.residual, weights(f.residual, s))
		for p := range a {
			a[p][p] += 1.0 / (prior * prior)
			b[p] += (f.x[p] - f.first[p]) / (prior * prior)
		}
		moved := false
		for range 6 {
			x := f.stepped(a, b, damping)
			r, err := f.at(x)
			if err != nil {
				return err
			}
			if f.cost(r, x, s) < before {
				f.x, f.residual, moved = x, r, true
				damping = max(damping/10, 1e-6)
				break
			}
			damping *= 10
		}
		if !moved || f.cost(f.residual, f.x, s) > before*(1-enough) {
			return nil
		}
	}
	return nil
}

// stepped returns x after a damped step, within the parameters' bounds.
func (f *fit) stepped(a matrix, b []float64, damping float64) []float64 {
	damped := newMatrix(len(a))
	for i := range a {
		copy(damped[i], a[i])
		damped[i][i] += damping*a[i][i] + 1e-9
	}
	x := slices.Clone(f.x)
	inverse := damped.inverse()
	if inverse == nil {
		return x
	}
	const most = 1.0 // a factor of e
	for i, d := range inverse.times(b) {
		x[i] -= min(max(d, -most), most)
		x[i] = min(max(x[i], math.Log(f.params[i].Least)), math.Log(f.params[i].Most))
	}
	return x
}

// intervals returns the half-widths of the 95 % confidence intervals of the parameters' logarithms;
// +Inf where the measurements say nothing.
func (f *fit) intervals() ([]float64, error) {
	j, err := f.derivatives()
	if err != nil {
		return nil, err
	}
	half := make([]float64, len(f.params))
	seen := f.sensitive(j)
	var which [][]float64
	for p := range j {
		if half[p] = math.Inf(1); seen[p] {
			which = append(which, j[p])
		}
	}
	if len(f.list) <= len(which) {
		return half, nil
	}
	s := scale(f.residual)
	w := weights(f.residual, s)
	a, _ := normal(which, f.residual, w)
	for i := range a {
		a[i][i] += 1e-9 * (1 + a[i][i])
	}
	covariance := a.inverse()
	if covariance == nil {
		return half, nil
	}
	variance := 0.0
	for i, r := range f.residual {
		variance += w[i] * r * r
	}
	variance = max(1, variance/float64(len(f.list)-len(which)))
	at := 0
	for p := range half {
		if seen[p] {
			half[p] = student(len(f.list)-len(which)) * math.Sqrt(variance*covariance[at][at])
			at++
		}
	}
	return half, nil
}

// sensitive reports which parameters change any residual by more than a hundredth of a deviation
// when they change by a tenth.
func (f *fit) sensitive(j [][]float64) []bool {
	seen := make([]bool, len(j))
	for p := range j {
		for _, d := range j[p] {
			seen[p] = seen[p] || math.Abs(d)*0.1 > 0.01
		}
	}
	return seen
}

// student returns the 97.5 % quantile of Student's distribution with so many degrees of freedom
// (Cornish and Fisher's expansion).
func student(freedom int) float64 {
	const z = 1.959964
	n := float64(max(freedom, 1))
	return z + (z*z*z+z)/(4*n) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*n*n)
}
