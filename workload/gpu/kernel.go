package gpu

import (
	"fabricast/internal/units"
	"fabricast/workload/transformer"
)

// Kernel is work of a GPU that is launched at once.
type Kernel struct {
	Operations int64 // of matrix products
	Bytes      int64 // read and written
	Others     int64 // operations that are not of matrix products
}

// Time returns how long the GPU takes for a kernel, in ps. As in Calculon, the times of operations
// and of accesses add up. Each is at most MostTime, which is refused.
func (a *Accelerator) Time(k Kernel) int64 {
	const picoseconds, most = 1e12, int64(MostTime)
	reached := int64(a.TFLOPS) * percentOf(product, k.Operations) * int64(a.Efficiency)
	return min(most, units.MulDiv(k.Operations, 100*product[0].percent, reached)) +
		min(most, units.MulDiv(k.Others, 100, int64(a.Vector)*percentOf(others, k.Others))) +
		min(most, units.MulDiv(k.Bytes, 100*(picoseconds/1e6), int64(a.Bandwidth)/1e6*percentOf(access, k.Bytes)))
}

// Sum returns how long the GPU takes for kernels one after another, in ps.
func (a *Accelerator) Sum(kernels ...Kernel) (t int64) {
	for _, k := range kernels {
		t += a.Time(k)
	}
	return t
}

// element is the number of bytes of an activation or a parameter.
const element = transformer.ParameterBytes

// Product returns the kernel of a matrix product of n rows.
func Product(n, in, out int64) Kernel {
	return Kernel{Operations: 2 * n * in * out, Bytes: element * (n*in + in*out + n*out)}
}

// Vector returns a kernel that passes over n elements so many times, with so many operations each.
func Vector(n, times, operations int64) Kernel {
	return Kernel{Bytes: element * n * times, Others: n * operations}
}

// Norm and Activated return kernels of a forward pass over n elements: a norm, and GELU or the
// product of an activation with a gate, of so many inputs. Their operations are those that Calculon
// counts.
func Norm(n int64) Kernel { return Vector(n, 2, 9) }

// Activated is described at Norm.
func Activated(n, inputs int64) Kernel { return Vector(n, 1+inputs, 7+inputs) }
