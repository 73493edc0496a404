package collective

// Worker is a Comm whose ranks take simulated time to process data in an algorithm, in addition to
// its messages. On other Comms, processing takes no time.
type Worker interface {
	Comm
	// Combine spends the time that the rank takes to combine operands of the given size each.
	Combine(bytes int)
	// Copy spends the time that the rank takes to copy the given number of bytes from one buffer to
	// another.
	Copy(bytes int)
}
