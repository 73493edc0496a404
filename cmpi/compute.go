package cmpi

// Compute selects how much simulated time the computation between calls takes.
type Compute string

// Values of Compute.
const (
	ComputeNone     Compute = ""         // no time
	ComputeMeasured Compute = "measured" // the processor time measured here, times a factor
	// like measured, but marked loops run only some of their iterations
	ComputeSampled Compute = "sampled"
)

// psPerNs is the number of ps in a ns.
const psPerNs = 1000

// speed returns how many ps of simulated time one ns of host time counts.
func (o *Options) speed() float64 {
	switch {
	case o.Compute == ComputeNone:
		return 0
	case o.Factor == 0:
		return psPerNs
	}
	return psPerNs * o.Factor
}
