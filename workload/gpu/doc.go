// Package gpu is the time that a GPU takes for kernels: a roofline with efficiencies by size.
package gpu
