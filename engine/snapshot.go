package engine

import "fabricast/internal/snapshot"

// Snapshot is the state of a block, saved in memory. The zero value is ready for use. Its memory is
// used again by the next save.
type Snapshot = snapshot.Snapshot

// Snapshotter is a Block whose state can be saved between two windows and restored later.
type Snapshotter interface {
	Block
	// Save saves the state of the block between two windows.
	Save(to *Snapshot)
	// Restore makes the block what it was at Save. The rounds that follow must be numbered like
	// those that followed then, at least modulo 2.
	Restore(from *Snapshot)
}
