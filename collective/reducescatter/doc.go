// Package reducescatter contains the reduce-scatter algorithms, which combine the operands of all
// ranks and give each rank its block of the result.
package reducescatter
