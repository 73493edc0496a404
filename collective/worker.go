package collective

// Worker is a Comm whose ranks take time for what an algorithm does with data, beside its messages.
// On other Comms that takes no time.
type Worker interface {
	Comm
	// Combine spends the time in which the rank combines operands of so many bytes each.
	Combine(bytes int)
	// Copy spends the time in which the rank copies so many bytes from one buffer to another.
	Copy(bytes int)
}
