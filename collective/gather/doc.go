// Package gather holds the algorithms by which the root gets the blocks of all ranks.
package gather
