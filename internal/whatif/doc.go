// Package whatif tells how the predicted time of a run depends on parameters of its experiment.
//
// The critical path of a run counts what its time consists of: calls, hops and bytes. So the growth
// of the time with a parameter is known from one run, as long as the path stays the critical one.
//
//	price.go       the time of a path under changed parameters
//	parameters.go  the parameters, and derivatives of the time
package whatif
