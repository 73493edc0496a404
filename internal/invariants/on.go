//go:build invariants || race

package invariants

// Enabled is true in builds that check invariants while they run.
const Enabled = true
