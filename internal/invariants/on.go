//go:build invariants || race

package invariants

// Enabled is true in builds that check invariants at run time.
const Enabled = true
