//go:build !invariants && !race

// Package invariants says whether this build checks its own invariants as it
// runs. Tests are built with the tag `invariants` (or with -race); a production
// build compiles the checks away.
package invariants

// Enabled is true in builds that check invariants while they run.
const Enabled = false
