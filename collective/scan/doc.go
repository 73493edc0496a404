// Package scan holds the prefix reductions: every rank gets the combination of the operands of the
// ranks up to it, or of those below it.
package scan
