// Package reduce contains the reduce algorithms, which combine the operands of all ranks at the
// root.
package reduce
