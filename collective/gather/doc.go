// Package gather contains the gather algorithms, which collect the blocks of all ranks at the root.
package gather
