package calibrate

import (
	"math"
	"slices"
)

// fit is the state of the search for parameters with which simulations match the measurements.
type fit struct {
	sim      *simulator
	list     []Measurement // measurements that are not held out
	fixed    []string      // settings that are not fitted
	params   []Parameter
	x, first []float64 // logarithms of the current and the initial values
	residual []float64 // logarithms of simulated / measured times, in units of their standard deviations
	parked   []parked  // parameters that no measurement depends on
	reports  func(text string)
	// the network is described by parameters alone
	routerless bool
}

const (
	// leastDeviation is the minimum standard deviation of a measurement, as a share, that a model
	// need not explain.
	leastDeviation = 0.01
	// step is the step size for derivatives, in logarithms.
	step = 0.04
	// huber is the number of standard deviations from which on a residual counts less than its
	// square.
	huber = 1.5
	// The search ends after mostRounds steps, or when a step reduces the cost by a share of less
	// than `enough`.
	mostRounds = 12
	enough     = 0.002
	// prior is the standard deviation, in logarithms, of a prior that pulls parameters to their
	// initial values. It is so wide that it matters only if the measurements provide no
	// information.
	prior = 3
)

// cost returns the loss plus a penalty for moving the parameters from their initial values.
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

// scale returns a robust estimate of the standard deviation of the residuals, but at least 1.
func scale(r []float64) float64 {
	sizes := make([]float64, len(r))
	for i := range r {
		sizes[i] = math.Abs(r[i])
	}
	return max(1, 1.4826*median(sizes))
}

// median returns the median of a list, or 0 if it is empty. It sorts the list.
func median(list []float64) float64 { return quantile(list, 0.5) }

// quantile returns the value below which the given share of a list lies. It sorts the list.
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

// weights returns Huber's weights for the residuals at a scale.
func weights(r []float64, scale float64) []float64 {
	w := make([]float64, len(r))
	for i := range r {
		w[i] = min(1, huber*scale/max(math.Abs(r[i]), 1e-12))
	}
	return w
}

// loss returns the function that the search minimizes: Huber's loss of the residuals at a scale.
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

// derivatives returns the derivatives of the residuals with respect to each parameter.
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

// tries are factors by which parameters are changed before the search, which finds only the nearest
// minimum.
var tries = []float64{0.1, 0.3, 3, 10}

// settle runs the search, and repeats it from distant values as long as that improves the result.
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

// scan moves each parameter in turn to the best of a few distant values.
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

// search moves the parameters to the nearest minimum of the cost, by the Levenberg-Marquardt
// method.
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

// stepped returns x after a damped step, clamped to the parameters' bounds.
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
	const most = 1.0 // at most a factor of e per step
	for i, d := range inverse.times(b) {
		x[i] -= min(max(d, -most), most)
		x[i] = min(max(x[i], math.Log(f.params[i].Least)), math.Log(f.params[i].Most))
	}
	return x
}

// intervals returns the half-widths of the 95 % confidence intervals of the parameters' logarithms.
// They are +Inf for parameters on which the measurements provide no information.
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

// sensitive reports which parameters change any residual by more than a hundredth of a standard
// deviation when they change by a tenth.
func (f *fit) sensitive(j [][]float64) []bool {
	seen := make([]bool, len(j))
	for p := range j {
		for _, d := range j[p] {
			seen[p] = seen[p] || math.Abs(d)*0.1 > 0.01
		}
	}
	return seen
}

// student returns the 97.5 % quantile of Student's t distribution with the given number of degrees
// of freedom (Cornish-Fisher expansion).
func student(freedom int) float64 {
	const z = 1.959964
	n := float64(max(freedom, 1))
	return z + (z*z*z+z)/(4*n) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*n*n)
}
