//go:build !invariants && !race

// Package invariants says whether this build checks its own invariants at run time. Tests are built
// with the tag `invariants` (or with -race); a production build omits the checks.
package invariants

// Enabled is true in builds that check invariants at run time.
const Enabled = false
