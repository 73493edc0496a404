// Package reduce holds the algorithms by which the root gets the combination of all operands.
package reduce
