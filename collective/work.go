package collective

import "fabricast/node"

// Worker is a Comm whose ranks take time for what an algorithm does with data, beside its messages.
// On other Comms that takes no time.
type Worker interface {
	Comm
	// Combine spends the time in which the rank combines operands of so many bytes each.
	Combine(bytes int)
	// Copy spends the time in which the rank copies so many bytes from one buffer to another.
	Copy(bytes int)
}

// combined spends the time of combining operands of n bytes.
func combined(c Comm, n int) {
	if w, ok := c.(Worker); ok && n > 0 {
		w.Combine(n)
	}
}

// copied spends the time of copying n bytes.
func copied(c Comm, n int) {
	if w, ok := c.(Worker); ok && n > 0 {
		w.Copy(n)
	}
}

// move copies the contents of src to dst and spends the time of that. Without contents only the
// time passes.
func move(c Comm, dst, src node.Buf) {
	copy(dst.Bytes(), src.Bytes())
	copied(c, src.Len())
}
