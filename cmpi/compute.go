package cmpi

// Compute is what computation between calls costs, in simulated time.
type Compute string

// What computation may cost.
const (
	ComputeNone     Compute = ""         // nothing
	ComputeMeasured Compute = "measured" // the processor time that it takes here, times a factor
	ComputeSampled  Compute = "sampled"  // likewise, but only in loops of which the program runs some iterations
)

// psPerNs is what a ns of host time is in ps.
const psPerNs = 1000

// speed is what a ns of host time counts, in ps.
func (o *Options) speed() float64 {
	switch {
	case o.Compute == ComputeNone:
		return 0
	case o.Factor == 0:
		return psPerNs
	}
	return psPerNs * o.Factor
}
